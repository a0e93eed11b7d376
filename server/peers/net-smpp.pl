# Net::SMPP as client and as SMSC. Usage: net-smpp.pl submit|receive|serve PORT SYSTEM-ID PASSWORD DESTINATION, with the
# messages as JSON on stdin. What it sees leaves as one JSON object a line.
use strict;
use warnings;
use JSON::PP;
use Net::SMPP;

$| = 1;
my ($role, $port, $system_id, $password, $destination) = @ARGV;
my $messages = decode_json(do { local $/; <STDIN> });

sub tell_all { print encode_json({@_}), "\n" }

sub fields_of {
    my ($message) = @_;
    return (
        source_addr_ton     => $message->{sourceTon},
        source_addr_npi     => 1,
        source_addr         => $message->{source},
        dest_addr_ton       => 1,
        dest_addr_npi       => 1,
        destination_addr    => $destination,
        esm_class           => $message->{esmClass},
        data_coding         => $message->{coding},
        registered_delivery => $message->{registeredDelivery},
        short_message       => pack('H*', $message->{hex}),
    );
}

sub tell_message {
    my ($pdu) = @_;
    tell_all(
        source    => $pdu->{source_addr},
        sourceTon => 0 + $pdu->{source_addr_ton},
        coding    => 0 + $pdu->{data_coding},
        esmClass  => 0 + $pdu->{esm_class},
        hex       => unpack('H*', $pdu->{short_message}),
    );
}

# Answers what comes, until the other side ends or the last receipt is here.
sub serve_link {
    my ($link) = @_;
    while (my $pdu = $link->read_pdu) {
        my $command = $pdu->{cmd};
        if    ($command == Net::SMPP::CMD_enquire_link) { $link->enquire_link_resp(seq => $pdu->{seq}) }
        elsif ($command == Net::SMPP::CMD_unbind) { $link->unbind_resp(seq => $pdu->{seq}); return }
        elsif ($command == Net::SMPP::CMD_deliver_sm) {
            $link->deliver_sm_resp(seq => $pdu->{seq}, message_id => '');
            tell_message($pdu);
        }
        elsif ($command == Net::SMPP::CMD_submit_sm) {
            $link->submit_sm_resp(seq => $pdu->{seq}, message_id => "p$pdu->{seq}");
            tell_message($pdu);
        }
        elsif ($command == Net::SMPP::CMD_deliver_sm_resp) { tell_all(status => 0 + $pdu->{status}) }
    }
}

if ($role eq 'serve') {
    my $listener = Net::SMPP->new_listen('127.0.0.1', port => $port) or die "cannot listen: $!";
    tell_all(ready => JSON::PP::true);
    while (my $link = $listener->accept) {
        # The gateway may look at the port before it binds.
        my $bind = $link->read_pdu or next;
        $link->bind_transceiver_resp(seq => $bind->{seq}, system_id => 'net-smpp');
        $link->deliver_sm(fields_of($_), async => 1) for @$messages;
        serve_link($link);
    }
    exit;
}

my $make = $role eq 'submit' ? 'new_transceiver' : 'new_receiver';
my ($link, $answer) = Net::SMPP->$make('127.0.0.1', port => $port, system_id => $system_id, password => $password);
die "cannot bind\n" if !$link || $answer->{status} != 0;
tell_all(ready => JSON::PP::true);
for my $message ($role eq 'submit' ? @$messages : ()) {
    my $sent = $link->submit_sm(fields_of($message), async => 1);
    my $pdu;
    do {
        $pdu = $link->read_pdu or die "the link ended\n";
        if ($pdu->{cmd} == Net::SMPP::CMD_deliver_sm) {
            $link->deliver_sm_resp(seq => $pdu->{seq}, message_id => '');
            tell_message($pdu);
        }
    } until $pdu->{cmd} == Net::SMPP::CMD_submit_sm_resp;
    tell_all(id => $pdu->{status} == 0 ? $pdu->{message_id} : '');
}
serve_link($link);
