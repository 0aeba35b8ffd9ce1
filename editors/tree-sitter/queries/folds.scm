[(definition) (section) (fence)] @fold
