//! The writers of what checks found.
