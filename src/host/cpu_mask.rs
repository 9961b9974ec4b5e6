//! Sets of CPUs as sysfs writes them.

/// The CPUs of a mask of the kernel, as a list: `0-3,8`; None where it is no
/// mask, or of no CPU. A mask is written in words of 32 bits, in hexadecimal,
/// the lowest CPUs last, with commas between (`%*pb` in lib/vsprintf.c).
pub fn cpu_list(mask: &str) -> Option<String> {
    let words = mask.trim().rsplit(',').map(|word| {
        let digits = word.bytes().all(|digit| digit.is_ascii_hexdigit());
        let word = digits.then(|| u32::from_str_radix(word, 16).ok());
        word.flatten()
    });
    let words: Vec<u32> = words.collect::<Option<_>>()?;
    let cpus = words.iter().zip((0_u32..).step_by(32));
    let cpus = cpus.flat_map(|(&word, first)| {
        let bits = (0..32).filter(move |bit| word >> bit & 1 == 1);
        bits.map(move |bit| first + bit)
    });
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let range = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let list: Vec<String> = ranges.iter().map(range).collect();
    (!list.is_empty()).then(|| list.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_become_lists() {
        for (mask, list) in [
            ("3", "0-1"),
            ("1", "0"),
            ("ff", "0-7"),
            ("f5\n", "0,2,4-7"),
            ("ff,ffffffff", "0-39"),
            ("80000000,00000001", "0,63"),
            ("1,80000000,00000000", "63-64"),
            ("00000000,00000000,0000000f", "0-3"),
        ] {
            assert_eq!(cpu_list(mask).as_deref(), Some(list), "{mask}");
        }
        for mask in [
            "",
            "0",
            "00000000,00000000",
            "g",
            "+1",
            "1,,1",
            "0-3",
            "100000000",
        ] {
            assert_eq!(cpu_list(mask), None, "{mask}");
        }
    }
}
