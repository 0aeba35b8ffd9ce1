[(definition) (section)] @indent.begin
