import { spawnSync } from 'node:child_process';
import { BRIDGE_PROGRAM } from './bridge.ts';

const PERL = '/usr/bin/perl';

/**
 * The same bridge for the Perl that most systems have: it starts in a tenth of the time and takes a tenth of the memory,
 * and every sandbox with a way out has one. Two processes a connection, one a direction, so that neither waits for the
 * other; what breaks in one ends both. Linux's own numbers stand for Perl's module of them, which takes four times as
 * long to load as Perl itself: families 1 and 2, a stream is 1, and 1 and 2 let an address be used again.
 */
const PERL_BRIDGE = `
$SIG{CHLD} = "IGNORE";
$SIG{PIPE} = "IGNORE";
my ($watched, @ways) = ("");
for (split /,/, $ARGV[0]) {
  my ($port, $path) = split /=/;
  socket(my $server, 2, 1, 0) or next;
  setsockopt($server, 1, 2, 1);
  bind($server, pack("S n C4 x8", 2, $port, 127, 0, 0, 1)) && listen($server, 128) or next;
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
    socket(my $far, 1, 1, 0) or exit;
    connect($far, pack("S a108", 1, $path)) or exit;
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

/** Perl where it is there, which is looked for once; else the Node in use. Its numbers are those of Linux on these. */
export function bridgeCommand(): BridgeCommand {
  const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  chosen ??= isKnown && spawnSync(PERL, ['-e', '0'], { stdio: 'ignore' }).status === 0 ? BRIDGES.perl : BRIDGES.node;
  return chosen;
}
