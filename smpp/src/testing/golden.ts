// PDUs written by hand from the tables of SMPP 3.4 §4, octet by octet. Any implementation must read and write them.
import type { AnyPdu } from '../pdu/registry.ts'

interface Golden {
  command: AnyPdu['command']
  sequence: number
  status: number
  body: object
  hex: string
}

export const golden: readonly Golden[] = [
  {
    // §3.2.5 has this very PDU as its example of the layout.
    command: 'bind_transmitter',
    sequence: 1,
    status: 0,
    body: {
      systemId: 'SMPP3TEST',
      password: 'secret08',
      systemType: 'SUBMIT1',
      interfaceVersion: 0,
      addrTon: 1,
      addrNpi: 1,
    },
    hex: '0000002f 00000002 00000000 00000001 534d50503354455354 00 7365637265743038 00 5355424d495431 00 00 01 01 00',
  },
  {
    command: 'bind_transceiver_resp',
    sequence: 7,
    status: 0,
    body: { systemId: 'gate', tlvs: [{ tag: 0x0210, value: Buffer.from([0x34]) }] },
    hex: '0000001a 80000009 00000000 00000007 6761746500 0210 0001 34',
  },
  {
    command: 'submit_sm',
    sequence: 2,
    status: 0,
    body: {
      sourceAddrTon: 5,
      sourceAddr: 'ACME',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '4917012345',
      registeredDelivery: 1,
      shortMessage: Buffer.from('Hello'),
      tlvs: [{ tag: 0x0204, value: Buffer.from([0x00, 0x2a]) }],
    },
    hex:
      '0000003a 00000004 00000000 00000002 00 05 00 41434d4500 01 01 3439313730313233343500' +
      '00 00 00 00 00 01 00 00 00 05 48656c6c6f 0204 0002 002a',
  },
  {
    command: 'submit_sm_resp',
    sequence: 2,
    status: 0,
    body: { messageId: 'a1' },
    hex: '00000013 80000004 00000000 00000002 613100',
  },
  {
    command: 'deliver_sm_resp',
    sequence: 9,
    status: 0,
    body: { messageId: '' },
    hex: '00000011 80000005 00000000 00000009 00',
  },
  {
    command: 'enquire_link',
    sequence: 0x7fffffff,
    status: 0,
    body: {},
    hex: '00000010 00000015 00000000 7fffffff',
  },
  { command: 'unbind_resp', sequence: 3, status: 0, body: {}, hex: '00000010 80000006 00000000 00000003' },
  { command: 'generic_nack', sequence: 5, status: 3, body: {}, hex: '00000010 80000000 00000003 00000005' },
  {
    command: 'query_sm_resp',
    sequence: 4,
    status: 0,
    body: { messageId: 'a1', finalDate: '', messageState: 2, errorCode: 0 },
    hex: '00000016 80000003 00000000 00000004 613100 00 02 00',
  },
  {
    command: 'submit_multi',
    sequence: 6,
    status: 0,
    body: {
      destinations: [
        { kind: 'address', ton: 1, npi: 1, address: '49170' },
        { kind: 'list', name: 'all' },
      ],
      shortMessage: Buffer.from('x'),
    },
    hex: '0000002e 00000021 00000000 00000006 00 00 00 00 02 01 01 01 343931373000 02 616c6c00 00 00 00 00 00 00 00 00 00 01 78',
  },
  {
    command: 'submit_multi_resp',
    sequence: 6,
    status: 0,
    body: { messageId: 'm', failures: [{ ton: 1, npi: 1, address: '49', status: 0x0b }] },
    hex: '0000001c 80000021 00000000 00000006 6d00 01 01 01 343900 0000000b',
  },
  {
    command: 'data_sm',
    sequence: 8,
    status: 0,
    body: {
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '49',
      tlvs: [{ tag: 0x0424, value: Buffer.from('hi') }],
    },
    hex: '00000022 00000103 00000000 00000008 00 00 00 00 01 01 343900 00 00 00 0424 0002 6869',
  },
]

/** The bytes of a golden PDU. */
export function goldenBytes(entry: Golden): Buffer {
  return Buffer.from(entry.hex.replaceAll(' ', ''), 'hex')
}
