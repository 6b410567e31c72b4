@node "%~dp0baton.js" %*
