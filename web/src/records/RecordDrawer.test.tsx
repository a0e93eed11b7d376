import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, onTestFinished, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { setCatalogue } from '../language/t.ts'
import { refusal } from '../testing/api-stub.ts'
import { recordAt } from '../testing/records.ts'
import { admin } from '../testing/render.tsx'
import { detail, open, shownNumbers, untilLoaded } from './testing/open-records.tsx'

test('Details open by the row button and by the address, with what happened', async () => {
  const { address } = open()
  await untilLoaded()
  await userEvent.hover(screen.getByText('+44 909 879 0002'))
  await userEvent.click(screen.getByRole('button', { name: /^Details of \+44 909 879 0002/ }))
  await waitFor(() => expect(address()).toContain(`open=${detail.id}`))
  const drawer = await screen.findByRole('dialog', { name: 'Record +44 909 879 0002' })
  expect(await within(drawer).findByText('Committed')).toBeDefined()
  expect(within(drawer).getByText('9 ms end to end')).toBeDefined()
  expect(within(drawer).getByText('1 of 12,846')).toBeDefined()
  await userEvent.keyboard('j')
  await waitFor(() => expect(address()).toContain(recordAt(1).id))
})

test('the text is shown only after its reader was warned of the audit entry', async () => {
  const { requests } = open(`/sms-records?open=${detail.id}`, {
    [`GET /api/records/${detail.id}/text`]: {
      text: 'vote 7',
      encoding: 'GSM 7',
      flags: [],
      raw: {
        octets: '050003070301766f74652037',
        header: '050003070301',
        dataCoding: 0,
        esmClass: 0x40,
        defaultAlphabet: 'gsm7',
      },
      whole: { text: 'vote 7 for all', parts: 2, total: 3 },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Show' }))
  expect(screen.getByText(/leaves an audit entry/)).toBeDefined()
  expect(requests.some((call) => call.path.endsWith('/text'))).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Show text' }))
  expect(await screen.findByText('vote 7')).toBeDefined()
  expect(screen.getByText('The whole message (2 of 3 parts)')).toBeDefined()
  expect(screen.getByText('vote 7 for all')).toBeDefined()
  // The octets that it was read from, the header apart.
  expect(screen.getByText('05 00 03 07 03 01')).toBeDefined()
  expect(screen.getByText('76 6f 74 65 20 37')).toBeDefined()
  expect(screen.getByText(/data_coding 0x00 · esm_class 0x40 · coding 0 is GSM 7-bit/)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Copy Octets' })).toBeDefined()
})

test('the details tell what the message was sent with', async () => {
  open(`/sms-records?open=${detail.id}`, {
    [`GET /api/records/${detail.id}`]: {
      ...detail,
      sent: {
        sourceAddress: '07700900318',
        sourceTon: 2,
        sourceNpi: 8,
        destinationAddress: '447700900123',
        destTon: 1,
        destNpi: 1,
        serviceType: 'CMT',
        protocolId: 0,
        priority: 0,
        esmClass: 0,
        dataCoding: 0,
        parameters: [
          { tag: '0x0204', name: 'user_message_reference', hex: '002a' },
          { tag: '0x1403', name: '', hex: 'beef' },
        ],
      },
    },
  })
  expect(await screen.findByRole('heading', { name: 'As sent' })).toBeDefined()
  expect(screen.getByText('TON 2 · NPI 8')).toBeDefined()
  expect(screen.getByText('user_message_reference')).toBeDefined()
  expect(screen.getByText('TLV 0x1403')).toBeDefined()
  expect(screen.getByText('beef')).toBeDefined()
})

test('the details of a part lead to the others, and a long text tells how many SMS it counts as', async () => {
  const [first, second] = [recordAt(1).id, recordAt(2).id]
  const part = { reference: 17, total: 3, position: 3 }
  const longMessage = {
    id: '5',
    state: 'incomplete' as const,
    total: 3,
    partIds: [first, second],
    missing: [2],
  }
  open(`/sms-records?open=${second}`, {
    [`GET /api/records/${second}`]: { ...detail, part, longMessage, smsCount: 478 },
  })
  const drawer = await screen.findByRole('dialog')
  expect(await within(drawer).findByText('3 of 3, reference 17')).toBeDefined()
  expect(within(drawer).getByText('478 SMS')).toBeDefined()
  expect(within(drawer).getByText('Parts are missing: 2 of 3')).toBeDefined()
  const link = within(drawer).getByRole('link', { name: 'Part 1' })
  expect(link.getAttribute('href')).toContain(`open=${first}`)
})

test('a role that may not read texts has no way to ask', async () => {
  open(`/sms-records?open=${detail.id}`, {}, { ...admin, role: 'support' })
  expect(await screen.findByText('Committed')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Show' })).toBeNull()
})

test("someone else's record says that it is not there, and the list stays", async () => {
  open('/sms-records?open=01KAF6T2XXXX', {
    'GET /api/records/01KAF6T2XXXX': refusal(404, { code: 'not_found', message: 'Not found.' }),
  })
  expect(await screen.findByText('No such record')).toBeDefined()
  expect(shownNumbers()).toEqual(['0002', '0001'])
})

test('the report of a record tells its steps in the language of the reader', async () => {
  setCatalogue({ Committed: 'נשמר', 'submit_sm from bind {name}': 'submit_sm מהחיבור {name}' })
  onTestFinished(() => setCatalogue({}))
  open(`/sms-records?print=${detail.id}`)
  expect(await screen.findAllByText('נשמר')).toHaveLength(2)
  expect(screen.getAllByText('submit_sm מהחיבור acme')).toHaveLength(2)
})

test('the period that a record settles in is in UTC', async () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  open(`/sms-records?open=${detail.id}`)
  expect(await screen.findByText('16/11 – 23/11')).toBeDefined()
})
