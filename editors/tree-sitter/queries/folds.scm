[(definition) (section) (fence) (program)] @fold
