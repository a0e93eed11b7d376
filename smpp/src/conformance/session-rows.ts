// Rows 1 to 36: framing, sequences, binds, the life of a session.
import { hex, ProbeSocket, require, RowFailed, type ConformanceTarget } from './probe.ts'
import { rawHeader, rawPdu, rawSubmit, text } from './raw-pdus.ts'
import { answers, bound, withProbe, type ConformanceRow } from './row.ts'

/** The stream is lost: generic_nack 0x02, perhaps, and the socket closes in time. */
async function losesStream(probe: ProbeSocket, octets: Buffer, name: string): Promise<void> {
  probe.write(octets)
  try {
    await probe.closed(3_000)
  } catch (error) {
    throw new RowFailed(`${name}: ${error instanceof Error ? error.message : 'the socket stayed open'}`)
  }
}

const unbound =
  (streams: readonly (readonly [name: string, octets: Buffer])[]) =>
  async (target: ConformanceTarget): Promise<void> => {
    for (const [name, octets] of streams)
      await withProbe(ProbeSocket.connect(target), (probe) => losesStream(probe, octets, name))
  }

const announced = (length: number): readonly [string, Buffer] => [
  `length ${hex(length)}`,
  rawHeader(length, 4, 0, 9),
]

async function isRefused(
  target: ConformanceTarget,
  changed: Partial<ConformanceTarget>,
  allowed: readonly number[],
) {
  await withProbe(ProbeSocket.connect(target), async (probe) => {
    const response = await probe.bind({ ...target, ...changed })
    require(allowed.includes(
      response.status,
    ), `answered ${hex(response.status)} instead of ${allowed.map(hex).join(' or ')}`)
    await probe.closed(3_000)
  })
}

async function versionIs(target: ConformanceTarget, version: number, hasTlv: boolean): Promise<void> {
  await withProbe(ProbeSocket.connect(target), async (probe) => {
    const response = await probe.bind(target, 'transceiver', version)
    require(response.status === 0, `version ${hex(version)} is refused with ${hex(response.status)}`)
    const has = 'tlvs' in response.body && response.body.tlvs.length > 0
    require(hasTlv || !has, `a peer of version ${hex(version)} gets optional parameters`)
  })
}

export const sessionRows: readonly ConformanceRow[] = [
  {
    number: 1,
    title: 'A command_length below 16 loses the stream',
    sent: 'command_length 0, 4, 15',
    expected: 'the socket closes',
    check: unbound([announced(0), announced(4), announced(15)]),
  },
  {
    number: 2,
    title: 'A length far too large loses the stream',
    sent: 'command_length 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF',
    expected: 'the socket closes',
    check: unbound([announced(0x7fff_ffff), announced(0x8000_0000), announced(0xffff_ffff)]),
  },
  {
    number: 3,
    title: 'Before the bind a PDU is small',
    sent: 'a header that announces 513 octets, unbound',
    expected: 'the socket closes',
    check: unbound([announced(513)]),
  },
  {
    number: 4,
    title: 'A bound peer may send a large PDU, within a limit',
    sent: 'a message_payload of 60,000 octets; then a length of 16 MiB',
    expected: 'the first is answered, the second closes the socket',
    check: bound(async (probe, { from, to }) => {
      const payload = Buffer.concat([Buffer.from('0424ea60', 'hex'), Buffer.alloc(60_000, 0x41)])
      probe.write(rawSubmit(from, to, 5, { message: Buffer.alloc(0), rest: payload }))
      await probe.answerTo(5)
      await losesStream(probe, rawHeader(0x100_0000, 4, 0, 6), '16 MiB')
    }),
  },
  {
    number: 5,
    title: 'A header whose body never comes',
    sent: 'a header of 40 octets, and nothing more',
    expected: 'closed within 30 s',
    check: bound(async (probe) => {
      probe.write(rawHeader(40, 4, 0, 5))
      await probe.closed(30_000)
    }),
  },
  {
    number: 6,
    title: 'Octets that drip in',
    sent: 'an enquire_link in sixteen pieces over two seconds',
    expected: 'answered',
    check: bound(async (probe) => {
      for (const octet of rawPdu(0x15, 5)) {
        probe.write(Buffer.of(octet))
        await new Promise((resolve) => setTimeout(resolve, 125))
      }
      await probe.answerTo(5)
    }),
  },
  {
    number: 7,
    title: 'Many PDUs in one segment, and one cut in two',
    sent: '50 enquire_links in one write; one cut at every octet',
    expected: 'each answered once',
    check: bound(async (probe) => {
      probe.write(Buffer.concat(Array.from({ length: 50 }, (_, at) => rawPdu(0x15, 100 + at))))
      for (let at = 0; at < 50; at += 1) await probe.answerTo(100 + at)
      for (let at = 1; at < 16; at += 1) {
        const octets = rawPdu(0x15, 200 + at)
        probe.write(octets.subarray(0, at))
        await new Promise((resolve) => setTimeout(resolve, 20))
        probe.write(octets.subarray(at))
        await probe.answerTo(200 + at)
      }
      require((await probe.stays()).length === 0, 'something was answered twice')
    }),
  },
  {
    number: 8,
    title: 'An unknown command',
    sent: 'commands 0x0A, 0x1FF, 0x7FFFFFFF',
    expected: 'generic_nack 0x03 with the same sequence, the session stays',
    check: bound(async (probe) => {
      for (const [at, id] of [0x0a, 0x1ff, 0x7fff_ffff].entries()) {
        probe.write(rawPdu(id, 50 + at))
        const { command, status } = await probe.answerTo(50 + at)
        require(command === 'generic_nack' &&
          status === 3, `${hex(id)} is answered by ${command} ${hex(status)}`)
      }
      await probe.stays()
    }),
  },
  {
    number: 9,
    title: 'A response to nothing',
    sent: 'response 0x800000FE, and a deliver_sm_resp to nothing',
    expected: 'no answer, the session stays',
    check: bound(async (probe) => {
      probe.write(Buffer.concat([rawPdu(0x8000_00fe, 50), rawPdu(0x8000_0005, 51, Buffer.of(0))]))
      require((await probe.stays()).length === 0, 'a response was answered')
    }),
  },
  {
    number: 10,
    title: 'generic_nack for a deliver_sm is a failed delivery',
    sent: '',
    expected: 'it is delivered again',
    reason: 'needs a message that the SMSC delivers to us',
  },
  {
    number: 11,
    title: 'Another protocol on the port',
    sent: 'an HTTP request, an SSH greeting, a TLS ClientHello',
    expected: 'the socket closes',
    async check(target) {
      require(target.tls === undefined, 'check the plain port: TLS hides what is sent')
      await unbound([
        ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
        ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n')],
        ['TLS', Buffer.from('16030100c8010000c40303aabbccddeeff', 'hex')],
      ])(target)
    },
  },
  {
    number: 12,
    title: 'A request with a command_status',
    sent: 'enquire_link and submit_sm with command_status 0x58',
    expected: 'treated as any other',
    check: bound(async (probe, { from, to }) => {
      const submit = rawSubmit(from, to, 5)
      submit.writeUInt32BE(0x58, 8)
      probe.write(Buffer.concat([submit, rawPdu(0x15, 6, undefined, 0x58)]))
      const { status } = await probe.answerTo(5)
      require(status === 0, `the message is refused with ${hex(status)}`)
      await probe.answerTo(6)
    }),
  },
  {
    number: 13,
    title: 'Unusual sequence numbers',
    sent: 'enquire_link with 0, 0x80000000, 0xFFFFFFFF',
    expected: 'the number is echoed',
    check: bound(async (probe) => {
      for (const sequence of [0, 0x8000_0000, 0xffff_ffff]) {
        probe.write(rawPdu(0x15, sequence))
        await probe.answerTo(sequence)
      }
    }),
  },
  {
    number: 14,
    title: 'The same sequence number twice',
    sent: 'two submit_sm with one sequence in one segment',
    expected: 'two answers with different ids',
    check: bound(async (probe, { from, to }) => {
      probe.write(Buffer.concat([rawSubmit(from, to, 5), rawSubmit(from, to, 5)]))
      const [one, other] = [await probe.answerTo(5), await probe.answerTo(5)]
      const idOf = (pdu: typeof one) => ('messageId' in pdu.body ? pdu.body.messageId : '')
      require(one.status === 0 && other.status === 0, 'one of them was refused')
      require(idOf(one) !== idOf(other), 'both have the same id')
    }),
  },
  {
    number: 15,
    title: 'Sequence numbers that wrap',
    sent: 'enquire_link with 0x7FFFFFFE, 0x7FFFFFFF, 1, 2',
    expected: 'each is answered',
    check: bound(async (probe) => {
      for (const sequence of [0x7fff_fffe, 0x7fff_ffff, 1, 2]) await probe.ask('enquire_link', sequence)
    }),
  },
  {
    number: 16,
    title: 'A string without its NUL',
    sent: 'a submit_sm that ends within service_type',
    expected: 'an error in its own response, the session stays',
    check: answers([
      {
        name: 'no NUL',
        pdu: (sequence) => rawPdu(4, sequence, Buffer.from('abc')),
        allowed: [0x01, 0x02, 0x08, 0x15, 0xc0, 0xc2],
      },
    ]),
  },
  {
    number: 17,
    title: 'Octets behind the last field',
    sent: 'one to three octets behind a submit_sm',
    expected: 'an error in its own response, the session stays',
    check: answers(
      [1, 2, 3].map((count) => ({
        name: `${count} octets`,
        pdu: (sequence: number, { from, to }: ConformanceTarget) =>
          rawSubmit(from, to, sequence, { rest: Buffer.alloc(count, 0xff) }),
        allowed: [0x01, 0x02, 0xc0, 0xc2],
      })),
    ),
  },
  {
    number: 18,
    title: 'The three kinds of bind',
    sent: 'bind_transmitter, _receiver, _transceiver',
    expected: 'each is accepted with a system_id',
    async check(target) {
      for (const as of ['transmitter', 'receiver', 'transceiver'] as const)
        await withProbe(ProbeSocket.connect(target), async (probe) => {
          const { status, body } = await probe.bind(target, as)
          require(status === 0, `bind_${as} is refused with ${hex(status)}`)
          require('systemId' in body && body.systemId !== '', `bind_${as}_resp names no system_id`)
        })
    },
  },
  {
    number: 19,
    title: 'A peer of version 3.3',
    sent: 'bind_transceiver with interface_version 0x33',
    expected: 'accepted, without optional parameters',
    check: (target) => versionIs(target, 0x33, false),
  },
  {
    number: 20,
    title: 'A newer peer',
    sent: 'bind_transceiver with interface_version 0x50 and 0x35',
    expected: 'accepted',
    async check(target) {
      await versionIs(target, 0x50, true)
      await versionIs(target, 0x35, true)
    },
  },
  {
    number: 21,
    title: 'A wrong password',
    sent: 'a bind with another password',
    expected: '0x0E (or 0x0D), then the socket closes',
    check: (target) => isRefused(target, { password: 'wrong' }, [0x0d, 0x0e]),
  },
  {
    number: 22,
    title: 'An unknown system_id',
    sent: 'a bind with a system_id that nobody has',
    expected: '0x0E, 0x0F or 0x0D, then the socket closes',
    check: (target) => isRefused(target, { systemId: 'nobody-has-it' }, [0x0d, 0x0e, 0x0f]),
  },
  {
    number: 23,
    title: 'An account without access',
    sent: '',
    expected: '0x0D',
    reason: 'needs accounts that are suspended or limited to networks',
  },
  {
    number: 24,
    title: 'The limit of binds',
    sent: '',
    expected: 'exactly as many binds as the account may have',
    reason: 'needs to know how many binds the account may have',
  },
  {
    number: 25,
    title: 'A second bind on a session',
    sent: 'a bind on a session that is bound',
    expected: '0x05, the first stays',
    check: bound(async (probe, target) => {
      const { systemId, password } = target
      const { status } = await probe.ask('bind_transceiver', 9, {
        systemId,
        password,
        interfaceVersion: 0x34,
      })
      require(status === 5, `answered ${hex(status)} instead of 0x05`)
      await probe.stays()
    }),
  },
  {
    number: 26,
    title: 'Fields of a bind that are too long',
    sent: 'a system_id of 17 and a system_type of 14 characters',
    expected: 'an error, not bound',
    async check(target) {
      const end = Buffer.from([0x34, 0, 0, 0])
      const bodies = [
        [text('s'.repeat(17)), text(target.password), text('')],
        [text(target.systemId), text(target.password), text('t'.repeat(14))],
      ]
      for (const body of bodies)
        await withProbe(ProbeSocket.connect(target), async (probe) => {
          probe.write(rawPdu(9, 3, Buffer.concat([...body, end])))
          const { status } = await probe.answerTo(3)
          require(status !== 0, 'a field that is too long was accepted')
        })
    },
  },
  {
    number: 27,
    title: 'Access that is taken away while bound',
    sent: '',
    expected: 'unbind and close within 5 s',
    reason: 'needs an operator who changes the account',
  },
  {
    number: 28,
    title: 'A connection that never binds',
    sent: 'nothing',
    expected: 'closed within 60 s',
    isSlow: true,
    check: (target) =>
      withProbe(ProbeSocket.connect(target), async (probe) => void (await probe.closed(60_000))),
  },
  {
    number: 29,
    title: 'submit_sm where it is not permitted',
    sent: 'submit_sm before the bind, and as a receiver',
    expected: '0x04, and as a receiver the session stays',
    async check(target) {
      const refused = async (probe: ProbeSocket) => {
        probe.write(rawSubmit(target.from, target.to, 5))
        const { status } = await probe.answerTo(5)
        require(status === 4, `answered ${hex(status)} instead of 0x04`)
      }
      await withProbe(ProbeSocket.connect(target), refused)
      await withProbe(ProbeSocket.bound(target, 'receiver'), async (probe) => {
        await refused(probe)
        await probe.stays()
      })
    },
  },
  {
    number: 30,
    title: 'enquire_link before the bind',
    sent: 'enquire_link on a new connection',
    expected: 'answered',
    check: (target) => withProbe(ProbeSocket.connect(target), async (probe) => void (await probe.stays())),
  },
  {
    number: 31,
    title: 'enquire_link under load',
    sent: '200 submit_sm, ten at a time, and an enquire_link after each ten',
    expected: 'answered within a second',
    check: bound(async (probe, { from, to }) => {
      for (let turn = 0; turn < 20; turn += 1) {
        const burst = Array.from({ length: 10 }, (_, at) => rawSubmit(from, to, 1_000 + turn * 10 + at))
        probe.write(Buffer.concat([...burst, rawPdu(0x15, 9_000 + turn)]))
        await probe.answerTo(9_000 + turn, 1_000)
        for (let at = 0; at < 10; at += 1) await probe.answerTo(1_000 + turn * 10 + at)
      }
    }),
  },
  {
    number: 32,
    title: 'A silent peer is asked whether it is there',
    sent: 'nothing for 100 s',
    expected: 'enquire_link, or the session ends',
    isSlow: true,
    check: bound(async (probe) => {
      await probe.request(
        ({ command }) => command === 'enquire_link' || command === 'unbind',
        100_000,
        'enquire_link',
      )
    }),
  },
  {
    number: 33,
    title: 'A peer that only answers enquire_link',
    sent: '',
    expected: 'stays, up to the inactivity timer',
    reason: 'takes as long as the inactivity timer, which only the operator knows',
  },
  {
    number: 34,
    title: 'unbind',
    sent: 'five submit_sm and unbind in one segment',
    expected: 'all are answered before unbind_resp, then the socket closes',
    check: bound(async (probe, { from, to }) => {
      const submits = Array.from({ length: 5 }, (_, at) => rawSubmit(from, to, 10 + at))
      probe.write(Buffer.concat([...submits, rawPdu(6, 99)]))
      for (let at = 0; at < 5; at += 1) await probe.answerTo(10 + at)
      const { command } = await probe.answerTo(99)
      require(command === 'unbind_resp', `unbind is answered by ${command}`)
      await probe.closed(5_000)
    }),
  },
  {
    number: 35,
    title: 'A reset in the middle of a batch',
    sent: 'submit_sm, then a TCP reset, then a new bind',
    expected: 'the new bind is accepted within 5 s',
    async check(target) {
      await withProbe(ProbeSocket.bound(target), async (probe) => {
        probe.write(
          Buffer.concat(Array.from({ length: 5 }, (_, at) => rawSubmit(target.from, target.to, 10 + at))),
        )
        await probe.answerTo(10)
        probe.socket.resetAndDestroy()
      })
      await withProbe(ProbeSocket.bound(target), async (probe) => void (await probe.stays()))
    },
  },
  {
    number: 36,
    title: 'A stop of the SMSC',
    sent: '',
    expected: 'open requests answered, unbind sent and awaited',
    reason: 'needs an operator who stops the SMSC',
  },
]
