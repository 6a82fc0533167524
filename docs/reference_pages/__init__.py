"""The generated pages, one file each: `page()` gives its Markdown."""
