"""Where traces come from; the packages in here never import each other."""
