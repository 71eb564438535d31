"""Views of results, a module for each kind: functions that make a result's Document and its JSON."""
