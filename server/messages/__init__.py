"""Between the messages of the wire and the values of the catalog, checked on the way in."""
