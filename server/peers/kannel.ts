// Kannel as a client of ours. It shows octets in its log, and what it made of them to its service.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PeerProgram, PeerReceiver } from './define.ts'
import { answeredIds, startKannel, type KannelBoxes, type KannelCall } from './kannel-boxes.ts'
import { seenOf } from './kannel-log.ts'
import type { PeerMessage, SeenMessage } from './messages.ts'
import { until } from './until.ts'

const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const headerOctets = 6

/** A message as its sendsms interface takes it: coding 0 is GSM, 1 octets, 2 UCS-2. */
function valuesOf(message: PeerMessage, destination: string): Record<string, string> {
  const { source, sourceTon, coding, esmClass, hex, text } = message
  const octets = Buffer.from(hex, 'hex')
  const hasHeader = (esmClass & 0x40) !== 0
  return {
    // It makes TON 1 of a plus, and TON 2 of a number without one.
    from: sourceTon === 1 ? `+${source}` : source,
    to: `+${destination}`,
    coding: coding === 8 ? '2' : coding === 4 ? '1' : '0',
    ...(text === undefined ? { text: octets.toString('latin1') } : { charset: 'UTF-8', text: utf8(text) }),
    ...(hasHeader ? { udh: octets.subarray(0, headerOctets).toString('latin1') } : {}),
  }
}

/** What the service was told, as a text; undefined for octets. */
function readingOf({ query }: KannelCall): string | undefined {
  const octets = Buffer.from(query.get('text') ?? '', 'latin1')
  const charset = query.get('charset')
  if (charset === 'UTF-8') return octets.toString('utf8')
  return charset === 'UTF-16BE' ? octets.swap16().toString('utf16le') : undefined
}

const toService = ({ calls }: KannelBoxes) => calls.filter(({ path }) => path === '/message')

/** Each message with its reading: the smsbox asks its service about one after the other. */
function seenBy(boxes: KannelBoxes): SeenMessage[] {
  const readings = toService(boxes).map(readingOf)
  return boxes.pdus
    .filter(({ way, name }) => way === 'Got' && name === 'deliver_sm')
    .map(seenOf)
    .slice(0, readings.length)
    .map((seen, index) => ({ ...seen, text: readings[index] }))
}

async function receive(
  ...starts: Parameters<typeof startKannel>
): Promise<PeerReceiver & { boxes: KannelBoxes }> {
  const boxes = await startKannel(...starts)
  return {
    boxes,
    get seen() {
      return seenBy(boxes)
    },
    close: () => boxes.close(),
  }
}

export const kannel: PeerProgram = {
  name: 'Kannel',
  install: 'apt-get install kannel',
  quirks: [
    'Driven as its operators run it: a bearerbox binds as a transceiver, a smsbox takes messages by HTTP and hands those that come to a service. Octets are those of the bearerbox’s log; the text that the service was given is compared, too.',
    'It submits with esm_class 0x03 (store and forward), to which it adds 0x40 for a header.',
    'It makes TON 1 of a sender with a plus and TON 2 of one without.',
    'Its drive_smpp (package kannel-extras) measures its own bearerbox, which it needs to start: it shows nothing of us.',
  ],
  submitsAs: ({ esmClass }) => ({ esmClass: esmClass | 0x03 }),
  async version() {
    try {
      const { stdout, stderr } = await promisify(execFile)('bearerbox', ['--version'])
      return /version `([\d.]+)'/.exec(stdout + stderr)?.[1]
    } catch {
      return undefined
    }
  },
  async submit(account, messages) {
    const boxes = await startKannel(account)
    try {
      for (const message of messages) {
        const receiptParameters = { 'dlr-mask': '1', 'dlr-url': boxes.serviceUrl('receipt?id=%F&state=%d') }
        const wantsReceipt = message.registeredDelivery === 1
        await boxes.send({
          ...valuesOf(message, account.destination),
          ...(wantsReceipt ? receiptParameters : {}),
        })
      }
      const delivered = () =>
        boxes.calls.flatMap(({ path, query }) =>
          path === '/receipt' && query.get('state') === '1' ? [query.get('id') ?? ''] : [],
        )
      await until(() => answeredIds(boxes.pdus).length === messages.length && delivered().length > 0)
      return { ids: answeredIds(boxes.pdus), delivered: delivered() }
    } finally {
      await boxes.close()
    }
  },
  receive: (account) => receive(account),
  long: {
    async send(account, texts) {
      const boxes = await startKannel(account)
      try {
        for (const { text, coding } of texts)
          await boxes.send({
            from: '+447700900318',
            to: `+${account.destination}`,
            charset: 'UTF-8',
            coding: coding === 8 ? '2' : '0',
            text: utf8(text),
          })
        const open = () => {
          const sent = boxes.pdus.filter(({ name }) => name === 'submit_sm').length
          return sent - answeredIds(boxes.pdus).length
        }
        const isLastSent = () =>
          boxes.pdus.filter(({ way, name }) => way === 'Sending' && name === 'submit_sm').length >=
          texts.length * 2
        await until(() => isLastSent() && open() === 0)
      } finally {
        await boxes.close()
      }
    },
    async receive(account) {
      const receiver = await receive(account, { joins: true })
      return {
        get texts() {
          return toService(receiver.boxes).map((call) => readingOf(call) ?? '')
        },
        close: () => receiver.close(),
      }
    },
  },
}
