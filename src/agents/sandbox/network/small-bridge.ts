import { spawnSync } from 'node:child_process';
import { BRIDGE_PROGRAM } from './bridge.ts';

const PERL = '/usr/bin/perl';

/**
 * The same bridge for the Perl that most systems have: it starts in a tenth of the time and takes a tenth of the memory,
 * and every sandbox with a way out has one. Two processes a connection, one a direction, so that neither waits for the
 * other; what breaks in one ends both.
 */
const PERL_BRIDGE = `
use Socket;
$SIG{CHLD} = "IGNORE";
$SIG{PIPE} = "IGNORE";
my ($watched, @ways) = ("");
for (split /,/, $ARGV[0]) {
  my ($port, $path) = split /=/;
  socket(my $server, PF_INET, SOCK_STREAM, 0) or next;
  setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1);
  bind($server, sockaddr_in($port, INADDR_LOOPBACK)) && listen($server, 128) or next;
  vec($watched, fileno($server), 1) = 1;
  push @ways, [$server, $path];
}
close STDOUT;
open STDOUT, ">", "/dev/null";
while (1) {
  next if select(my $ready = $watched, undef, undef, undef) < 1;
  for (@ways) {
    my ($server, $path) = @$_;
    next unless vec($ready, fileno($server), 1) && accept(my $near, $server);
    my $child = fork;
    next if !defined $child || $child;
    socket(my $far, PF_UNIX, SOCK_STREAM, 0) or exit;
    connect($far, sockaddr_un($path)) or exit;
    my ($from, $to) = fork ? ($near, $far) : ($far, $near);
    my ($part, $got);
    while ($got = sysread $from, $part, 65536) {
      for (my $at = 0; $at < $got; ) {
        my $put = syswrite $to, $part, $got - $at, $at;
        if (!defined $put) { shutdown $_, 2 for $near, $far; exit }
        $at += $put;
      }
    }
    if (defined $got) { shutdown $to, 1 } else { shutdown $_, 2 for $near, $far }
    exit;
  }
}
`;

/** A program that takes the text after it with -e, and the ways after that. */
export type BridgeCommand = readonly [program: string, text: string];

export const BRIDGES = {
  perl: [PERL, PERL_BRIDGE],
  node: [process.execPath, BRIDGE_PROGRAM],
} as const satisfies Record<string, BridgeCommand>;

let chosen: BridgeCommand | null = null;

/** Perl where it is there with its sockets, which is looked for once; else the Node in use. */
export function bridgeCommand(): BridgeCommand {
  chosen ??= spawnSync(PERL, ['-MSocket', '-e', '0'], { stdio: 'ignore' }).status === 0 ? BRIDGES.perl : BRIDGES.node;
  return chosen;
}
