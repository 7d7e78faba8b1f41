"""What a careful colleague would say about a release before it is handed on."""
