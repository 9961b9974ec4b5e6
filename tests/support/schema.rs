//! A schema of assets.

use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

pub struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    pub fn load(name: &str) -> Self {
        let assets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets"));
        let mut compiler = Compiler::new();
        // The others speak of it.
        for name in [name, "report.schema.json"] {
            let schema = std::fs::read(assets.join(name)).unwrap();
            let schema = serde_json::from_slice(&schema).unwrap();
            compiler.add_resource(name, schema).unwrap();
        }
        let mut schemas = Schemas::new();
        let index = compiler.compile(name, &mut schemas).unwrap();
        Self { schemas, index }
    }

    pub fn check(&self, value: &Value) -> Result<(), String> {
        let checked = self.schemas.validate(value, self.index);
        checked.map_err(|error| error.to_string())
    }
}
