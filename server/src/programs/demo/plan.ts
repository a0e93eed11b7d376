// The plan of the demo business. All telephone numbers are reserved for fiction.

export interface DemoPerson {
  readonly username: string
  readonly firstName: string
  readonly lastName: string
  readonly role: 'admin' | 'support' | 'user' | 'test'
  readonly smppAccess?: boolean
  readonly maxConnections?: number
}

export const people: readonly DemoPerson[] = [
  { username: 'admin', firstName: 'Ada', lastName: 'Admin', role: 'admin' },
  { username: 'support', firstName: 'Sam', lastName: 'Support', role: 'support' },
  { username: 'client1', firstName: 'Clara', lastName: 'One', role: 'user' },
  { username: 'client2', firstName: 'Cyrus', lastName: 'Two', role: 'user' },
  { username: 'client3', firstName: 'Chloe', lastName: 'Three', role: 'user' },
  { username: 'client4', firstName: 'Cora', lastName: 'Four', role: 'user' },
  { username: 'supplier1', firstName: 'Sofia', lastName: 'North', role: 'user', smppAccess: true },
  {
    username: 'supplier2',
    firstName: 'Silas',
    lastName: 'South',
    role: 'user',
    smppAccess: true,
    maxConnections: 2,
  },
  { username: 'test', firstName: 'Tess', lastName: 'Test', role: 'test' },
]

export interface DemoRange {
  readonly rangeNumber: string
  readonly startNumber: string
  readonly endNumber: string
  readonly description: string
  /** The tariff in shekels. */
  readonly rate: string
  readonly country: string
  readonly countryCode: string
  /** The first of the demo's numbers in the range, and how many there are. */
  readonly firstNumber: string
  readonly count: number
  /** Descriptions of its numbers. */
  readonly uses: readonly string[]
}

// Sources: the lists of Ofcom, ARCEP, Bundesnetzagentur, ACMA, PTS, ComReg and NANPA of numbers reserved for film, radio
// and television.
export const ranges: readonly DemoRange[] = [
  {
    rangeNumber: '0800',
    startNumber: '448081570000',
    endNumber: '448081570999',
    description: 'Freephone, United Kingdom',
    rate: '0',
    country: 'United Kingdom',
    countryCode: '+44',
    firstNumber: '448081570100',
    count: 5,
    uses: ['Customer care', 'Delivery status', 'Charity line'],
  },
  {
    rangeNumber: '0900',
    startNumber: '449098790000',
    endNumber: '449098790999',
    description: 'Premium, United Kingdom',
    rate: '2.5',
    country: 'United Kingdom',
    countryCode: '+44',
    firstNumber: '449098790140',
    count: 14,
    uses: ['Song contest', 'Quiz of the day', 'Radio wishes', 'Match alerts'],
  },
  {
    rangeNumber: '0901',
    startNumber: '33639980000',
    endNumber: '33639989999',
    description: 'Premium, France',
    rate: '3.1',
    country: 'France',
    countryCode: '+33',
    firstNumber: '33639980120',
    count: 10,
    uses: ['Jeu concours', 'Météo', 'Vote du public'],
  },
  {
    rangeNumber: '0902',
    startNumber: '493023125000',
    endNumber: '493023125999',
    description: 'Premium, Germany',
    rate: '3.4',
    country: 'Germany',
    countryCode: '+49',
    firstNumber: '493023125300',
    count: 10,
    uses: ['Gewinnspiel', 'Horoskop', 'Abstimmung'],
  },
  {
    rangeNumber: '0903',
    startNumber: '61255500000',
    endNumber: '61255509999',
    description: 'Premium, Australia',
    rate: '2.8',
    country: 'Australia',
    countryCode: '+61',
    firstNumber: '61255500210',
    count: 7,
    uses: ['Surf report', 'Trivia night'],
  },
  {
    rangeNumber: '0904',
    startNumber: '46701740605',
    endNumber: '46701740699',
    description: 'Premium, Sweden',
    rate: '2.9',
    country: 'Sweden',
    countryCode: '+46',
    firstNumber: '46701740620',
    count: 5,
    uses: ['Frågesport', 'Väder'],
  },
  {
    rangeNumber: '0905',
    startNumber: '353209100000',
    endNumber: '353209199999',
    description: 'Premium, Ireland',
    rate: '2.6',
    country: 'Ireland',
    countryCode: '+353',
    firstNumber: '353209100400',
    count: 5,
    uses: ['Racing tips', 'Radio vote'],
  },
  {
    rangeNumber: '0906',
    startNumber: '12125550100',
    endNumber: '12125550199',
    description: 'Premium, United States',
    rate: '3.7',
    country: 'United States',
    countryCode: '+1',
    firstNumber: '12125550110',
    count: 6,
    uses: ['Trivia', 'Traffic news'],
  },
  {
    rangeNumber: '0907',
    startNumber: '16045550100',
    endNumber: '16045550199',
    description: 'Premium, Canada',
    rate: '3.6',
    country: 'Canada',
    countryCode: '+1',
    firstNumber: '16045550120',
    count: 4,
    uses: ['Hockey scores', 'Ski report'],
  },
]

export interface PlannedNumber {
  readonly number: string
  readonly range: DemoRange
  readonly description: string
  /** USD per SMS, for a number that settles by payout. */
  readonly pricePerSms: string | undefined
  readonly status: 'active' | 'suspended'
  /** The client's username; undefined for an unassigned number. */
  readonly holder: string | undefined
  /** The number's share of the traffic. */
  readonly weight: number
}

const holders = ['client1', 'client2', 'client1', 'client3', 'client2', 'client4', undefined]

/** Some of the numbers that nobody holds have a price, so that clients find them in the stock. */
const isOffered = (index: number) => index % 21 === 20

/** Ours by their range, and made for nobody: what suppliers send there is refused. */
export const strangeNumbers: readonly string[] = ['449098790999', '33639989871', '493023125977']

/** All numbers, in the order of their ranges; the same at each call. */
export function planNumbers(): PlannedNumber[] {
  const planned: PlannedNumber[] = []
  for (const range of ranges) {
    for (let place = 0; place < range.count; place += 1) {
      const number = String(BigInt(range.firstNumber) + BigInt(place)).padStart(range.firstNumber.length, '0')
      const index = planned.length
      planned.push({
        number,
        range,
        description: range.uses[place % range.uses.length] ?? '',
        // Spec §9: an inventory number's price is 0.50 unless another one is agreed.
        pricePerSms: index % 11 === 5 || isOffered(index) ? '0.50' : undefined,
        status: index % 23 === 9 ? 'suspended' : 'active',
        holder: holders[index % holders.length],
        weight: 1 + ((index * 7) % 13),
      })
    }
  }
  return planned
}
