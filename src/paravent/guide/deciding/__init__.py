"""Deciding: how values on several criteria and a person's preferences become an order of alternatives."""
