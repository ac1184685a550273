"""What continuous integration runs: the GitHub Action, the GitLab template, and the shell behind both."""
