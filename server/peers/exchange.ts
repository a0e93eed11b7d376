// The three directions of a peer: it submits to us, it receives from us, and we bind to it.
import type { ExchangeDirection, Exchanged, PeerProgram, PeerAccount } from './define.ts'
import type { PeerGateway } from './test-gateway.ts'
import { compare, longTexts, messages, type PeerMessage, type SeenMessage } from './messages.ts'
import { npmSmpp } from './npm-smpp.ts'
import { until } from './until.ts'

/** Drives one peer in every direction that it has. */
export async function exchange(gateway: PeerGateway, peer: PeerProgram): Promise<ExchangeDirection[]> {
  const directions = [
    submits,
    receives,
    ...(peer.long === undefined ? [] : [splitsAndJoins]),
    ...(peer.serve === undefined ? [] : [servesUs]),
  ]
  const results: ExchangeDirection[] = []
  for (const direction of directions) results.push(await direction(gateway, peer))
  return results
}

async function submits(gateway: PeerGateway, peer: PeerProgram): Promise<ExchangeDirection> {
  const account = await gateway.account()
  const { ids, delivered } = await peer.submit(account, messages)
  const records = await gateway.recordsTo(account.destination)
  const answered = new Set(ids)
  return {
    title: `${peer.name} submits to us`,
    exchanged: [
      ...compare(records, peer.submitsAs),
      {
        name: 'the id of each answer is its record’s',
        fault: records.every(({ id }) => answered.has(id)) ? '' : `answered ${ids.join(', ')}`,
      },
      receiptResult(ids[0], delivered),
    ],
  }
}

function receiptResult(id: string | undefined, delivered: readonly string[]): Exchanged {
  const name = 'receipt for the message that asked, and for no other'
  const isRight = delivered.length === 1 && delivered[0] === id
  return { name, fault: isRight ? '' : `receipts for ${delivered.join(', ') || 'nothing'}` }
}

async function receives(gateway: PeerGateway, peer: PeerProgram): Promise<ExchangeDirection> {
  const [client, supplier] = [await gateway.account({ holds: true }), await gateway.account()]
  const receiver = await peer.receive(client)
  try {
    const { ids, delivered } = await npmSmpp.submit(
      { ...supplier, destination: client.destination },
      messages,
    )
    await until(() => receiver.seen.length >= messages.length)
    return {
      title: `${peer.name} receives from us`,
      exchanged: [
        ...compare(receiver.seen),
        {
          name: 'nothing arrives twice',
          fault: receiver.seen.length > messages.length ? `${receiver.seen.length} arrived` : '',
        },
        { ...receiptResult(ids[0], delivered), name: 'its answer makes the supplier’s receipt' },
      ],
    }
  } finally {
    await receiver.close()
  }
}

async function splitsAndJoins(gateway: PeerGateway, peer: PeerProgram): Promise<ExchangeDirection> {
  const [client, supplier] = [await gateway.account({ holds: true }), await gateway.account()]
  const account = { ...supplier, destination: client.destination }
  const receiver = await peer.long?.receive(client)
  if (receiver === undefined) throw new Error(`${peer.name} joins nothing.`)
  try {
    await peer.long?.send(account, longTexts)
    await until(() => receiver.texts.length >= longTexts.length)
    const here = await gateway.wholeTextsTo(client.destination)
    const found = (texts: readonly string[], text: string) => {
      const nearest = texts.find((each) => each.startsWith(text.slice(0, 10))) ?? 'nothing'
      return texts.includes(text) ? '' : `reads ${nearest}`
    }
    return {
      title: `${peer.name} splits and joins long texts itself`,
      exchanged: longTexts.flatMap(({ name, text }) => [
        { name: `${name}, split by it, reads whole here`, fault: found(here, text) },
        { name: `${name}, sent on by us, is joined by it`, fault: found(receiver.texts, text) },
      ]),
    }
  } finally {
    await receiver.close()
  }
}

/** The texts that a person sends over our link, and what of them the SMSC must get. */
export const sentTexts = messages.filter(({ text, esmClass }) => text !== undefined && esmClass === 0)

async function servesUs(gateway: PeerGateway, peer: PeerProgram): Promise<ExchangeDirection> {
  const account = await gateway.account()
  const smsc = await peer.serve?.(messages, account.destination)
  if (smsc === undefined) throw new Error(`${peer.name} is no SMSC.`)
  const link = await gateway.call<{ id: string }>('POST', '/api/smpp-connections', {
    name: peer.name,
    host: '127.0.0.1',
    port: smsc.port,
    systemId: 'tollgate',
    password: 'secret12',
  })
  try {
    await until(async () => (await gateway.recordsTo(account.destination)).length >= messages.length)
    const delivered = compare(await gateway.recordsTo(account.destination), peer.submitsAs)
    return {
      title: `we bind to ${peer.name} as an SMSC`,
      exchanged: [
        ...delivered.map(({ name, fault }) => ({ name: `from it: ${name}`, fault })),
        ...(await sendAll(gateway, link.id, account, smsc.seen)),
      ],
    }
  } finally {
    await gateway.call('DELETE', `/api/smpp-connections/${link.id}`)
    await smsc.close()
  }
}

async function sendAll(
  gateway: PeerGateway,
  linkId: string,
  account: PeerAccount,
  seen: readonly SeenMessage[],
): Promise<Exchanged[]> {
  const send = async (message: PeerMessage) => {
    const body = { from: message.source, to: account.destination, text: message.text }
    await gateway.call('POST', `/api/smpp-connections/${linkId}/send`, body)
  }
  for (const message of sentTexts) await send(message)
  await until(() => seen.length >= sentTexts.length)
  return sentTexts.map(({ text, hex, coding }) => {
    const found = seen.find((each) => each.hex === hex)
    if (found === undefined) return { name: `to it: ${text}`, fault: 'did not arrive' }
    const isExact = found.coding === coding && (found.text ?? text) === text
    const fault = isExact ? '' : `data_coding ${found.coding}, reads ${found.text ?? 'nothing'}`
    return { name: `to it: ${text}`, fault }
  })
}
