# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ptyscope_global_optspecs
    string join \n preset= direction= c/chunk= read-size= m/mode= payload= reader-pace= writer-pace= peers= writer-cpu= reader-cpu= pairs= no-verify d/duration= n/bytes= record= snapshot= size= view= fps= theme= color= ascii caption= fault= plain tour= h/help V/version
end

function __fish_ptyscope_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ptyscope_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ptyscope_using_subcommand
    set -l cmd (__fish_ptyscope_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ptyscope -n "__fish_ptyscope_needs_command" -l preset -d 'Begin with a named workload: seed1, seed2, terminal, paste, stuck' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l direction -d 'Which way the bytes go [default: slave-to-master]' -r -f -a "slave-to-master\t'The slave writes, the master reads: a program\'s output'
master-to-slave\t'The master writes, the slave reads: input to a program'
both\t'Both at once'
echo\t'Ping-pong: a chunk there and as many bytes back'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s c -l chunk -d 'Bytes per write: 1 to 1M, as dd reads them (4K binary, 4kB decimal) [default: 256]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l read-size -d 'Bytes per read, or "chunk" for as many [default: chunk]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s m -l mode -d 'The line discipline: raw, cooked, or flags as ICANON+OPOST [default: raw]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l payload -d 'What is written: constant, sequence, lines, lines:LENGTH, random, random:SEED [default: sequence, or lines where the mode needs them]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l reader-pace -d 'What holds the reader back: none, 1ms per call, 10MB/s, stopped [default: none]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l writer-pace -d 'The same for the writer' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l peers -d 'Both ends in threads, or the reader in a process of its own [default: threads]' -r -f -a "threads\t'Threads of one process'
processes\t'The reader has a process of its own'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l writer-cpu -d 'Bind the writers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l reader-cpu -d 'Bind the readers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l pairs -d 'Ptys driven in parallel, 1 to 64 [default: 1]' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s d -l duration -d 'How long to run: 250ms, 5s, 2m' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s n -l bytes -d 'Bytes that each writer writes: 100M, 1GB' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l record -d 'Record the run to FILE, for ptyscope replay; compressed if the name ends in .gz' -r -F
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l snapshot -d 'Draw the screen to FILE, without a terminal: .svg, .ans (text with colours) or .txt' -r -F
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l size -d 'Columns and rows of the snapshot' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l view -d 'The view of the snapshot [default: the recorded one, else the first]' -r -f -a "time\t'Plots against time'
curve\t'Throughput against chunk size'
distribution\t'Histograms of call times and sizes'
kernel\t'Where the bytes are, who waits'
link\t'The two ends of a null modem'
big\t'One number for the back row'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l fps -d 'Frames a second at most' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l theme -d 'The colours to begin with; those of dark and light are safe for the colour-blind' -r -f -a "dark\t'For a dark background'
light\t'For a light background'
contrast\t'Bright on black, for a projector or weak eyes'
16\t'Only the 16 colours that every colour terminal has'
none\t'No colours; what NO_COLOR makes of it'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l color -d 'Colours: auto follows NO_COLOR' -r -f -a "auto\t'Where it fits'
always\t'In any case'
never\t'In no case'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l caption -d 'Words for an audience, shown below the title' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l fault -d 'Panics where it says, for the tests of what a panic leaves behind' -r -f -a "screen-panic\t'In the thread that draws, at the first sample'
worker-panic\t'In each reader, after a megabyte'"
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l tour -d 'Play a tour, with its own settings: seed1, seed2, backpressure, cooked, paste, or a FILE' -r
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l no-verify -d 'Do not compare every byte with what was sent'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l ascii -d 'Letters instead of braille and lines'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -l plain -d 'A line of text a second instead of the screen'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -s V -l version -d 'Print version'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "bench" -d 'Measure one workload for two seconds and report'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "sweep" -d 'Measure many chunk sizes and say where the throughput has a step'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "link" -d 'Link two ptys as a null modem'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "xmodem" -d 'Transfer a file by XMODEM over a null modem, and say what a block costs'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "check" -d 'Check that this kernel\'s ptys behave'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "capacity" -d 'Measure how many bytes a pty takes before its writer blocks'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "inspect" -d 'Say what is the matter with a pty that another program uses'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "boot" -d 'Run one of the others inside a kernel under test, under qemu'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "replay" -d 'Replay a recording, on the screen, as lines, as a report or a picture'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "compare" -d 'Compare reports with the first of them'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "generate" -d 'Write shell completions and man pages into a directory'
complete -c ptyscope -n "__fish_ptyscope_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l preset -d 'Begin with a named workload: seed1, seed2, terminal, paste, stuck' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l direction -d 'Which way the bytes go [default: slave-to-master]' -r -f -a "slave-to-master\t'The slave writes, the master reads: a program\'s output'
master-to-slave\t'The master writes, the slave reads: input to a program'
both\t'Both at once'
echo\t'Ping-pong: a chunk there and as many bytes back'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s c -l chunk -d 'Bytes per write: 1 to 1M, as dd reads them (4K binary, 4kB decimal) [default: 256]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l read-size -d 'Bytes per read, or "chunk" for as many [default: chunk]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s m -l mode -d 'The line discipline: raw, cooked, or flags as ICANON+OPOST [default: raw]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l payload -d 'What is written: constant, sequence, lines, lines:LENGTH, random, random:SEED [default: sequence, or lines where the mode needs them]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l reader-pace -d 'What holds the reader back: none, 1ms per call, 10MB/s, stopped [default: none]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l writer-pace -d 'The same for the writer' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l peers -d 'Both ends in threads, or the reader in a process of its own [default: threads]' -r -f -a "threads\t'Threads of one process'
processes\t'The reader has a process of its own'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l writer-cpu -d 'Bind the writers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l reader-cpu -d 'Bind the readers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l pairs -d 'Ptys driven in parallel, 1 to 64 [default: 1]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l also -d 'Also do the same work through these, as yardsticks' -r -f -a "pipe\t'pipe(2)'
socketpair\t'socketpair(2)'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s d -l duration -d 'How long to run: 250ms, 5s, 2m' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s n -l bytes -d 'Bytes that each writer writes: 100M, 1GB' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l save -d 'Keep the report under this name, for --against' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l against -d 'Compare with the report of this name' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l min-effect -d 'The smallest change that matters: 5%, 0.5%' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l fail-on-worse -d 'Exit with 3 if something is worse by so much' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l gate -d 'What --fail-on-worse looks at' -r -f -a "throughput\t'Bytes a second'
cpu\t'CPU time a byte, of writer and reader'
kworker\t'CPU time a byte, of the kernel\'s workers'
write\t'Median time of a write'
read\t'Median time of a read'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l record -d 'Record the run to FILE, for ptyscope replay; compressed if the name ends in .gz' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l no-verify -d 'Do not compare every byte with what was sent'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l no-prefill -d 'Do not fill the pty before the reader starts'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand bench" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l preset -d 'Begin with a named workload: seed1, seed2, terminal, paste, stuck' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l direction -d 'Which way the bytes go [default: slave-to-master]' -r -f -a "slave-to-master\t'The slave writes, the master reads: a program\'s output'
master-to-slave\t'The master writes, the slave reads: input to a program'
both\t'Both at once'
echo\t'Ping-pong: a chunk there and as many bytes back'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s c -l chunk -d 'Bytes per write: 1 to 1M, as dd reads them (4K binary, 4kB decimal) [default: 256]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l read-size -d 'Bytes per read, or "chunk" for as many [default: chunk]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s m -l mode -d 'The line discipline: raw, cooked, or flags as ICANON+OPOST [default: raw]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l payload -d 'What is written: constant, sequence, lines, lines:LENGTH, random, random:SEED [default: sequence, or lines where the mode needs them]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l reader-pace -d 'What holds the reader back: none, 1ms per call, 10MB/s, stopped [default: none]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l writer-pace -d 'The same for the writer' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l peers -d 'Both ends in threads, or the reader in a process of its own [default: threads]' -r -f -a "threads\t'Threads of one process'
processes\t'The reader has a process of its own'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l writer-cpu -d 'Bind the writers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l reader-cpu -d 'Bind the readers to this CPU' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l pairs -d 'Ptys driven in parallel, 1 to 64 [default: 1]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l min-effect -d 'The smallest change that matters: 5%, 0.5%' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l limit -d 'The longest that --until-decided may take' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s r -l runs -d 'Visit every point this often, and look at the verdicts once, at the end [default: 60, then 120 and 240 while something is undecided]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l visit -d 'How long each visit lasts' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s w -l warmup -d 'How long each new chunk is driven before its visit begins' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l seed -d 'Decides the order of the visits [default: another each time]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l theme -d 'The ground of a picture (-o FILE.svg) [default: the viewer\'s]' -r -f -a "dark\t'Dark'
light\t'Light'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l no-verify -d 'Do not compare every byte with what was sent'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l until-decided -d 'Go on until every boundary is decided, or the limit'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l fail-on-step -d 'Exit with 3 if there is a step'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l mode -d 'Permissions of the ptys, octal: 0660' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l group -d 'Group of the ptys: dialout' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l pairs -d 'How many links; with names each gets its number, as /tmp/ttyS0-7' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -s b -l baud -d 'Speed in bits a second, or "client": as the sending client sets it with stty' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l frame -d 'Data bits, parity (N E O M S) and stop bits, which the speed counts with' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l latency -d 'How long each byte is under way: 5ms' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l jitter -d 'Up to how much longer, another for each message' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l settle -d 'A pause before each message is passed on, for clients that flush their input after they have answered: 200us' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l drop -d 'Share of bytes that are lost: 0.001 or 0.1%' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l flip -d 'Share of bytes in which one bit is turned' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l dup -d 'Share of bytes that arrive twice' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l seed -d 'What faults and jitter are drawn from' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l stall -d 'From how long on a silence is a stall' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l busy-poll -d 'How long to look for more bytes before sleeping, after some were passed on: 0s saves the CPU time of it, and costs a wake-up for each message' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -s d -l duration -d 'How long to run: 250ms, 5s, 2m [default: until stopped]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l dump -d 'Write what goes over the line to FILE, hexadecimal and text ("-": standard output)' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l pcap -d 'The same for Wireshark: pcap with link type 250 (LINKTYPE_RTAC_SERIAL), A\'s bytes as TX' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l dump-limit -d 'End a trace at this size: 100M' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -s i -l interval -d 'Report each so often, and not only at the end: 1s' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l record -d 'Record the run to FILE, for ptyscope replay; compressed if the name ends in .gz' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l fps -d 'Frames a second at most' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l theme -d 'The colours to begin with; those of dark and light are safe for the colour-blind' -r -f -a "dark\t'For a dark background'
light\t'For a light background'
contrast\t'Bright on black, for a projector or weak eyes'
16\t'Only the 16 colours that every colour terminal has'
none\t'No colours; what NO_COLOR makes of it'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l color -d 'Colours: auto follows NO_COLOR' -r -f -a "auto\t'Where it fits'
always\t'In any case'
never\t'In no case'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l caption -d 'Words for an audience, shown below the title' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l fault -d 'Panics where it says, for the tests of what a panic leaves behind' -r -f -a "screen-panic\t'In the thread that draws, at the first sample'
worker-panic\t'In each reader, after a megabyte'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l tour -d 'Play a tour, with its own settings: seed1, seed2, backpressure, cooked, paste, or a FILE' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l force -d 'Replace symlinks that are in the way; other files never are'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l drop-unattached -d 'Throw away bytes for an end that nobody has open, as a wire does'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l dump-rotate -d 'At the limit go on in a new file, and keep the full one as FILE.1'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l json -d 'A line of JSON for each report'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l ascii -d 'Letters instead of braille and lines'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -l plain -d 'A line of text a second instead of the screen'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand link" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -s n -l size -d 'Bytes of the file' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l block -d 'Bytes in a block' -r -f -a "128\t'128 bytes'
1k\t'1024 bytes (XMODEM-1K)'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l retries -d 'How often in a row a block may fail' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l timeout -d 'How long to wait for an answer, or for the next byte of a block, beside what bytes are on the line (not known of --on)' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l on -d 'Use two terminals that are linked already: /tmp/ttyS0,/tmp/ttyS1' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -s b -l baud -d 'Speed in bits a second, or "client": as the sending client sets it with stty' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l frame -d 'Data bits, parity (N E O M S) and stop bits, which the speed counts with' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l latency -d 'How long each byte is under way: 5ms' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l jitter -d 'Up to how much longer, another for each message' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l settle -d 'A pause before each message is passed on, for clients that flush their input after they have answered: 200us' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l drop -d 'Share of bytes that are lost: 0.001 or 0.1%' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l flip -d 'Share of bytes in which one bit is turned' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l dup -d 'Share of bytes that arrive twice' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l seed -d 'What faults and jitter are drawn from' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l crc -d 'Check blocks by CRC-16 (the default)'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l checksum -d 'Check blocks by the sum of their bytes'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand xmodem" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l only -d 'Only checks of this name: close.drain, \'flow.*\' (again for more)' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l skip -d 'No checks of this name' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l explain -d 'Say all about a check and run none' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l repeat -d 'How often each check runs' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l deadline -d 'The longest that one wait in a check may take' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l jobs -d 'How many checks run at once [default: the number of CPUs]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l seed -d 'Where pseudo-random numbers start' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l max-p99 -d 'lat.rtt fails when more than one round trip of 100 takes longer' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l min-rate -d 'thr.step fails when writes of 256 bytes move fewer bytes a second: 10M' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'A line for each check as it ends, then all about those that did not pass'
json\t'The whole model'
csv\t'The same facts, the checks as a table'
markdown\t'For a mail or an issue'
ktap\t'Kernel Test Anything Protocol, version 1'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -s o -l output -d 'Also write the report to FILE, as its name says: .json .csv .md .txt. May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l all -d 'Also the second tier'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l risky -d 'Also where a check can hang the running kernel'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l list -d 'List the checks and run none'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l strict-env -d 'Findings about mounts, permissions and sysctls fail too'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -l from -d 'Only writes into this end' -r -f -a "master\t'A terminal emulator\'s'
slave\t'A program\'s'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -s m -l mode -d 'Only in this mode: raw, cooked, or flags as ICANON+OPOST [default: raw and cooked]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand capacity" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -s p -l pid -d 'All ptys that this process has open, by either end (again for more)' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -l label -d 'What the report calls this run' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l accel -d 'What carries out its instructions' -r -f -a "auto\t'KVM where it works, else TCG'
kvm\t'The processor itself'
tcg\t'qemu\'s translator'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l cpus -d 'CPUs [default: 2, or 1 with --deterministic]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l seed -d 'Where --deterministic begins: another one is another layout of memory' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l seeds -d 'How many seeds, from --seed on, each in a boot of its own: a sweep\'s blocks. One boundary takes 6 for an interval, eight take 9' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l memory -d 'Memory' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l append -d 'More words for the kernel\'s command line (again for more)' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l qemu -d 'qemu\'s program [default: qemu-system-ARCH of this machine]' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l qemu-arg -d 'One more argument for qemu (again for more)' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l with -d 'Also show a report that was made before, as JSON (again for more)' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l matrix -d 'Write the table of kernels to FILE, as its name says: .md .txt .json .svg (again for more)' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l devpts -d 'How devpts is mounted in the guest: max=3,ptmxmode=0666' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l timeout -d 'How long the whole may take, for each kernel' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l boot-timeout -d 'How long a kernel may take to start init' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l console -d 'Write the guest\'s console to FILE; of several boots to FILE.1, FILE.2, …' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l initramfs -d 'Write the root file system to FILE, for a qemu of one\'s own, and boot nothing' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l deterministic -d 'A clock that counts instructions, on one CPU: the same every time, whatever this machine does'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l host -d 'Also run the command here, in this machine\'s own kernel'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -s v -l verbose -d 'Show the guest\'s console meanwhile, on standard error'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -l show-command -d 'Print qemu\'s command line and boot nothing'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand boot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l at -d 'Begin, or draw the snapshot, at this time of the run: 12s, 2m [default: the beginning; of a snapshot the end]' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l speed -d 'How fast it plays, as a multiple of the run\'s speed: 0.1, 8' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l format -d 'Write the report of the recorded run instead: of the settings in force at --at, or of those that were in force longest' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l snapshot -d 'Draw the screen to FILE, without a terminal: .svg, .ans (text with colours) or .txt' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l size -d 'Columns and rows of the snapshot' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l view -d 'The view of the snapshot [default: the recorded one, else the first]' -r -f -a "time\t'Plots against time'
curve\t'Throughput against chunk size'
distribution\t'Histograms of call times and sizes'
kernel\t'Where the bytes are, who waits'
link\t'The two ends of a null modem'
big\t'One number for the back row'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l fps -d 'Frames a second at most' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l theme -d 'The colours to begin with; those of dark and light are safe for the colour-blind' -r -f -a "dark\t'For a dark background'
light\t'For a light background'
contrast\t'Bright on black, for a projector or weak eyes'
16\t'Only the 16 colours that every colour terminal has'
none\t'No colours; what NO_COLOR makes of it'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l color -d 'Colours: auto follows NO_COLOR' -r -f -a "auto\t'Where it fits'
always\t'In any case'
never\t'In no case'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l caption -d 'Words for an audience, shown below the title' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l tour -d 'Play a tour, with its own settings: seed1, seed2, backpressure, cooked, paste, or a FILE' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l fault -d 'Panics where it says, for the tests of what a panic leaves behind' -r -f -a "screen-panic\t'In the thread that draws, at the first sample'
worker-panic\t'In each reader, after a megabyte'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l ascii -d 'Letters instead of braille and lines'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -l plain -d 'A line of text a second instead of the screen'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -l min-effect -d 'The smallest change that matters: 5%, 0.5%' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -l fail-on-worse -d 'Exit with 3 if something is worse by so much' -r
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -l gate -d 'What --fail-on-worse looks at' -r -f -a "throughput\t'Bytes a second'
cpu\t'CPU time a byte, of writer and reader'
kworker\t'CPU time a byte, of the kernel\'s workers'
write\t'Median time of a write'
read\t'Median time of a read'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -l format -d 'How standard output is written, and files whose names do not tell' -r -f -a "text\t'For people'
json\t'The whole model, with every raw value'
csv\t'The same facts, the raw values as a table'
markdown\t'For a mail or an issue'"
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -s o -l output -d 'Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard output). May be given several times' -r -F
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -l json -d 'The same as --format json'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -s q -l quiet -d 'Nothing on standard output'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand generate" -s h -l help -d 'Print help'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "bench" -d 'Measure one workload for two seconds and report'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "sweep" -d 'Measure many chunk sizes and say where the throughput has a step'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "link" -d 'Link two ptys as a null modem'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "xmodem" -d 'Transfer a file by XMODEM over a null modem, and say what a block costs'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "check" -d 'Check that this kernel\'s ptys behave'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "capacity" -d 'Measure how many bytes a pty takes before its writer blocks'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "inspect" -d 'Say what is the matter with a pty that another program uses'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "boot" -d 'Run one of the others inside a kernel under test, under qemu'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "replay" -d 'Replay a recording, on the screen, as lines, as a report or a picture'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "compare" -d 'Compare reports with the first of them'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "generate" -d 'Write shell completions and man pages into a directory'
complete -c ptyscope -n "__fish_ptyscope_using_subcommand help; and not __fish_seen_subcommand_from bench sweep link xmodem check capacity inspect boot replay compare generate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
