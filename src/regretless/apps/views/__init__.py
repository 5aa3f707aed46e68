"""What the explorer, terminal play and other front ends show: numbers and names, without any markup."""
