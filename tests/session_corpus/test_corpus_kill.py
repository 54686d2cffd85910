"""A worker that is killed in the middle: nothing is lost and nothing counts twice."""
