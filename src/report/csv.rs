//! CSV (RFC 4180) with the same facts as JSON: the raw values as a table, and
//! everything else above it in lines of the form `# path = value`, which R,
//! pandas and gnuplot skip when told that `#` begins a comment.
//!
//! The values above are JSON. A cell has no way to say a control character,
//! which RFC 4180 does not allow in it: it is written as in a Rust string.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::words::{told, told_in_json, told_in_line};

/// Writes `value`, of which the array at `rows` becomes the table.
///
/// # Errors
/// What writing says.
pub fn write(value: &impl Serialize, rows: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let mut value = serde_json::to_value(value)?;
    let rows = take_array(&mut value, rows);
    let mut facts = Vec::new();
    flatten("", &value, &mut facts);
    for (path, value) in facts {
        let (path, value) = (told_in_line(&path), value.to_string());
        writeln!(out, "# {path} = {}", told_in_json(&value))?;
    }
    write_table(&rows, out)
}

/// One line for each row, under the names of all columns that any row has.
fn write_table(rows: &[Value], out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    let mut cells = Vec::with_capacity(rows.len());
    for row in rows {
        let mut leaves = Vec::new();
        flatten("", row, &mut leaves);
        for (path, _) in &leaves {
            if known.insert(path.clone()) {
                columns.push(path.clone());
            }
        }
        cells.push(leaves.into_iter().collect::<HashMap<_, _>>());
    }
    if columns.is_empty() {
        return Ok(());
    }
    let titles: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
    writeln!(out, "{}", titles.join(","))?;
    for row in &cells {
        let cell = |column| row.get(column).map_or(String::new(), |value| cell(value));
        let line: Vec<String> = columns.iter().map(cell).collect();
        writeln!(out, "{}", line.join(","))?;
    }
    Ok(())
}

fn take_array(value: &mut Value, path: &[&str]) -> Vec<Value> {
    let Some((last, above)) = path.split_last() else {
        return Vec::new();
    };
    let holder = above.iter().try_fold(value, |at, key| at.get_mut(*key));
    match holder
        .and_then(Value::as_object_mut)
        .and_then(|holder| holder.remove(*last))
    {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}

/// Every leaf with its path. An array of plain values is a leaf.
fn flatten<'a>(path: &str, value: &'a Value, into: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => flatten_fields(path, fields, into),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (at, item) in items.iter().enumerate() {
                flatten(&format!("{path}[{at}]"), item, into);
            }
        }
        leaf => into.push((path.to_owned(), leaf)),
    }
}

fn flatten_fields<'a>(
    path: &str,
    fields: &'a Map<String, Value>,
    into: &mut Vec<(String, &'a Value)>,
) {
    for (name, value) in fields {
        let path = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        flatten(&path, value, into);
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}

/// With quotes where a comma, quote or line break asks for them.
fn quoted(text: &str) -> String {
    let text = told(text);
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_stand_above_the_table() {
        let value = json!({
            "command": ["a", "b c"],
            "none": null,
            "result": {"points": [{"n": 1}, {"n": 2}], "visits": [
                {"name": "a,b", "at": {"x": 1.5, "y": null}},
                {"name": "say \"no\"", "at": {"x": 2, "y": [1, 2]}},
                {"name": "z", "at": {"x": 3, "y": {"deep": true}}},
            ]},
        });
        let mut out = Vec::new();
        write(&value, &["result", "visits"], &mut out).unwrap();
        let want = "\
# command = [\"a\",\"b c\"]
# none = null
# result.points[0].n = 1
# result.points[1].n = 2
at.x,at.y,name,at.y.deep
1.5,,\"a,b\",
2,\"[1,2]\",\"say \"\"no\"\"\",
3,,z,true
";
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }

    #[test]
    fn nothing_is_a_command_to_a_terminal() {
        let hostile = "a\u{1b}[2J\u{9b}31m";
        let value = json!({"label": hostile, "rows": [{"n": format!("{hostile},\nb")}]});
        let mut out = Vec::new();
        write(&value, &["rows"], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (label, rows) = text.split_once('\n').unwrap();
        let label = label.strip_prefix("# label = ").unwrap();
        assert_eq!(serde_json::from_str::<Value>(label).unwrap(), hostile);
        assert!(!label.contains(char::is_control), "{label:?}");
        assert_eq!(rows, "n\n\"a\\u{1b}[2J\\u{9b}31m,\nb\"\n");
    }

    #[test]
    fn without_rows_there_are_only_facts() {
        let mut out = Vec::new();
        write(&json!({"a": 1}), &["b", "c"], &mut out).unwrap();
        assert_eq!(out, b"# a = 1\n");
    }
}
