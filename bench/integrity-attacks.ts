// The attacks and the honest look-alikes of the measurement of holds. Days count from the first measured one.
import type { Client, World } from './integrity-traffic.ts'

const hour = 3_600_000
const minute = 60_000

/** Repeats on measured days. */
function onDays(world: World, from: number, count: number, work: (day: number) => void): void {
  for (let day = from; day < from + count; day += 1) work(world.parameters.historyDays + day)
}

function clientAt(world: World, place: number): Client {
  const client = world.clients[place]
  if (client === undefined) throw new Error(`There is no client ${place}`)
  return client
}

interface Sending {
  readonly label: string
  readonly messages: number
  readonly at: () => number
}

/** Messages of an attack by these senders, to one number. */
function pump(world: World, client: Client, day: number, senders: readonly string[], sending: Sending): void {
  const { label, messages, at } = sending
  for (const sender of senders)
    for (let place = 0; place < messages; place += 1)
      world.add({ client, sender, day, atMs: at(), label, isPumped: true, number: 0 })
}

type Extra = (world: World) => void

function simBank(world: World): void {
  const client = clientAt(world, 4)
  const block = world.homeBlock(client.country).slice(0, -1) + world.digits(1)
  const cards = world.senders(40, () => block + world.digits(4))
  onDays(world, 2, 3, (day) =>
    pump(world, client, day, cards, {
      label: 'one block of cards',
      messages: 12,
      at: () => (8 + 14 * world.random()) * hour,
    }),
  )
}

function cardsInTurn(world: World): void {
  const client = clientAt(world, 7)
  const cards = world.senders(60, () => world.person(client.country))
  onDays(world, 3, 6, (day) =>
    pump(world, client, day, cards, {
      label: 'cards at home that take turns',
      messages: 8,
      at: () => (7 + 16 * world.random()) * hour,
    }),
  )
}

function batchesOfFive(world: World): void {
  const client = clientAt(world, 10)
  onDays(world, 5, 4, (day) => {
    const cards = world
      .senders(24, () => world.homeBlock(client.country) + world.digits(2))
      .flatMap((hundred) => {
        const first = world.int(95)
        return [0, 1, 2, 3, 4].map((place) => hundred + String(first + place).padStart(2, '0'))
      })
    pump(world, client, day, cards, {
      label: 'new cards at home, five side by side',
      messages: 2,
      at: () => world.usualTime(client),
    })
  })
}

function madeUpAtNight(world: World): void {
  const client = clientAt(world, 13)
  onDays(world, 6, 3, (day) => {
    const senders = world.senders(600, () => world.homeBlock(client.country) + world.digits(4))
    pump(world, client, day, senders, {
      label: 'made-up home numbers at night',
      messages: 1,
      at: () => (1 + 4 * world.random()) * hour,
    })
  })
}

function madeUpAbroad(world: World): void {
  const client = clientAt(world, 16)
  onDays(world, 8, 2, (day) => {
    const senders = world.senders(500, () => `2557${world.digits(8)}`)
    pump(world, client, day, senders, {
      label: 'made-up numbers of another country',
      messages: 1,
      at: () => world.usualTime(client),
    })
  })
}

function byTheClock(world: World): void {
  const client = clientAt(world, 19)
  const cards = world.senders(60, () => world.person(client.country))
  const minutes = cards.map(() => 6 * 60 + world.int(16 * 60))
  onDays(world, 4, 7, (day) => {
    for (const [place, sender] of cards.entries())
      pump(world, client, day, [sender], {
        label: 'a program with home numbers',
        messages: 2,
        at: () => ((minutes[place] ?? 0) + 2 * world.random()) * minute,
      })
  })
}

function acrossClients(world: World): void {
  const cards = world.senders(25, () => world.person('447'))
  onDays(world, 9, 4, (day) => {
    for (const sender of cards)
      for (let place = 0; place < 8; place += 1)
        pump(world, clientAt(world, (place * 4 + 1) % 32), day, [sender], {
          label: 'home numbers at eight clients each',
          messages: 2,
          at: () => (8 + 14 * world.random()) * hour,
        })
  })
}

function newcomer(world: World): void {
  const client = world.addClient(world.parameters.historyDays + 2, 60)
  const cards = world.senders(15, () => world.person(client.country))
  onDays(world, 2, 10, (day) => {
    for (let left = client.perDay; left > 0;) left -= world.visit(client, day)
    pump(world, client, day, cards, {
      label: 'a new client on few home numbers',
      messages: 14,
      at: () => world.usualTime(client),
    })
  })
}

function boilingFrog(world: World): void {
  const client = clientAt(world, 2)
  const cards = world.senders(150, () => world.person(client.country))
  onDays(world, -8, 22, (day) => {
    const grown = Math.round(4 * world.parameters.strength * 1.27 ** (day - world.parameters.historyDays + 8))
    pump(world, client, day, cards.slice(0, grown), {
      label: 'home numbers, 27 % more each day',
      messages: 7,
      at: () => (7 + 16 * world.random()) * hour,
    })
  })
}

function ownNumbers(world: World): void {
  const client = clientAt(world, 22)
  const cards = world.senders(6, () => `90${String(10 + world.int(9) * 10).padStart(8, '0')}`)
  onDays(world, 10, 3, (day) =>
    pump(world, client, day, cards, {
      label: 'numbers of the gateway itself',
      messages: 40,
      at: () => (8 + 14 * world.random()) * hour,
    }),
  )
}

export const attacks: readonly Extra[] = [
  simBank,
  cardsInTurn,
  batchesOfFive,
  madeUpAtNight,
  madeUpAbroad,
  byTheClock,
  acrossClients,
  newcomer,
  boilingFrog,
  ownNumbers,
]

function televisionVote(world: World): void {
  const client = clientAt(world, 9)
  onDays(world, 5, 1, (day) => {
    for (let left = 20_000; left > 0;) {
      const sender = world.person(world.pick(world.parameters.countries))
      const votes = 1 + world.int(20)
      const start = (world.random() < 0.5 ? 20 : 21.5) * hour + 20 * minute * world.random()
      for (let vote = 0; vote < votes; vote += 1)
        world.add({
          client,
          sender,
          day,
          atMs: start + 4 * minute * world.random(),
          label: 'a television vote',
          number: 0,
        })
      left -= votes
    }
  })
}

function newService(world: World): void {
  const client = world.addClient(world.parameters.historyDays + 3, 500)
  onDays(world, 3, 11, (day) => {
    for (let left = client.perDay; left > 0;) left -= world.visit(client, day, { label: 'a new service' })
  })
}

function lateFile(world: World): void {
  onDays(world, 7, 1, (day) => {
    for (const client of world.clients.slice(0, 12))
      for (let left = client.perDay / 4; left > 0;)
        left -= world.visit(client, day, {
          label: 'the late file of an outage',
          atMs: (world.random() < 0.5 ? 16.1 + 0.6 * world.random() : 10 + 6 * world.random()) * hour,
        })
  })
}

function holidayNight(world: World): void {
  onDays(world, 9, 1, (day) => {
    for (const client of world.clients)
      for (let left = client.perDay / 2; left > 0;) {
        const at = (22 + 4 * world.random()) * hour
        left -= world.visit(client, at < 24 * hour ? day : day + 1, {
          label: 'the night of a holiday',
          atMs: at % (24 * hour),
        })
      }
  })
}

function failingReceipts(world: World): void {
  onDays(world, 11, 1, (day) => {
    for (const client of world.clients.slice(20, 29))
      for (let left = client.perDay / 2; left > 0;)
        left -= world.visit(client, day, {
          label: 'a supplier whose receipts fail, tried again',
          messagesMax: 10,
          atMs: (12 + 5 * world.random()) * hour,
        })
  })
}

function heavyUsers(world: World): void {
  for (const client of world.clients.slice(11, 15))
    for (let count = 0; count < 3; count += 1) {
      const sender = world.person(client.country)
      for (let day = 0; day < world.days; day += 1)
        for (let left = 150 + world.int(90); left > 0; left -= 1)
          world.add({
            client,
            sender,
            day,
            atMs: (7 + 16 * world.random()) * hour,
            label: 'heavy users',
            number: 0,
          })
    }
}

function trackers(world: World): void {
  const client = clientAt(world, 17)
  const block = world.homeBlock(client.country)
  for (let tracker = 0; tracker < 130; tracker += 1)
    for (let day = 0; day < world.days; day += 1)
      for (const at of [6, 12, 18, 23])
        world.add({
          client,
          sender: block + String(4_000 + tracker),
          day,
          atMs: at * hour + tracker * 1_000,
          label: 'machines that report on the clock',
          number: 0,
        })
}

function companyAtLunch(world: World): void {
  const client = clientAt(world, 6)
  const block = world.homeBlock(client.country)
  onDays(world, 8, 1, (day) => {
    for (let place = 0; place < 160; place += 1)
      world.add({
        client,
        sender: block + String(2_000 + place),
        day,
        atMs: 12 * hour + 40 * minute * world.random(),
        label: 'one company at lunch',
        number: 0,
      })
  })
}

export const lookAlikes: readonly Extra[] = [
  televisionVote,
  newService,
  lateFile,
  holidayNight,
  failingReceipts,
  heavyUsers,
  trackers,
  companyAtLunch,
]
