import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type AlertRule, type Alert } from '@tollgate/contract/alerts/alerts.ts'
import { expect, onTestFinished, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { setCatalogue } from '../language/t.ts'
import { sent } from '../testing/api-stub.ts'
import { connectedLink } from '../testing/connections.ts'
import { admin, renderApp, support } from '../testing/render.tsx'
import { fixesOf } from './fixes.ts'
import { AlertsPage } from './AlertsPage.tsx'

const texts = (name: string | Sentence) =>
  alertTexts({
    name,
    what: [sentence('It is not one of our numbers.'), sentence('From {names}.', { names: 'acme' })],
    advice: sentence('Add the number if it is ours.'),
  })
const refused: Alert = {
  key: 'refused_number:unknown:447700900123',
  kind: 'refused_number',
  severity: 'warning',
  ...texts('447700900123'),
  since: '2026-11-20T10:00:00.000Z',
  last: '2026-11-20T12:00:00.000Z',
  count: 7,
  hours: Array.from({ length: 24 }, (_, at) => (at === 23 ? 7 : 0)),
  about: { number: '447700900123', reason: 'unknown' },
  acknowledged: null,
}
const waits: Alert = {
  ...refused,
  key: 'sign_up:waiting',
  kind: 'sign_up',
  severity: 'notice',
  ...texts(sentence('Sign-ups')),
  hours: [],
  about: {},
}
const failing: Alert = {
  ...waits,
  key: 'endpoint:3',
  kind: 'endpoint',
  severity: 'critical',
  ...texts('hook'),
  about: { endpointId: '3', deliveryId: '44' },
}
const lists = { 'GET /api/alerts': { alerts: [failing, refused, waits], unlisted: [], missing: [] } }

test('a refused number is added where it is told, and the list is read again', async () => {
  let alerts = [refused]
  const { requests } = renderApp(<AlertsPage />, {
    user: support,
    answers: {
      'GET /api/alerts': () => ({ alerts, unlisted: [], missing: [] }),
      'POST /api/premium-numbers': () => {
        alerts = []
        return { id: 1 }
      },
    },
  })
  const row = await screen.findByRole('listitem', { name: 'Refused number: +44 7700 900123' })
  within(row).getByRole('img', { name: /By the hour/ })
  within(row).getByText('7 in 24 h')
  await userEvent.click(within(row).getByRole('button', { name: /^Add this number/ }))
  const dialog = await screen.findByRole('dialog', { name: 'Add Premium Number' })
  expect(within(dialog).getByDisplayValue('447700900123')).toBeDefined()
  await userEvent.type(within(dialog).getByLabelText(/Rate/), '0.5')
  for (const [label, value] of [
    ['Country', 'United Kingdom'],
    ['Country Code', '+44'],
  ] as const) {
    const field = within(dialog).queryByLabelText(label)
    if (field instanceof HTMLInputElement && field.value === '') await userEvent.type(field, value)
  }
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add Number' }))
  await screen.findByText('Nothing is wrong')
  expect(sent(requests).map(({ path }) => path)).toEqual(['/api/premium-numbers'])
})

test('a waiting webhook is sent now; an acknowledged alert says who deals with it and can be taken back', async () => {
  let acknowledged: Alert['acknowledged'] = null
  const { requests } = renderApp(<AlertsPage />, {
    user: support,
    answers: {
      'GET /api/alerts': () => ({
        alerts: [{ ...failing, acknowledged }, waits],
        unlisted: [],
        missing: [],
      }),
      'POST /api/endpoints/3/deliveries/44/send-now': {},
      'PUT /api/alerts/acknowledgement': () =>
        (acknowledged = { by: 'support', at: '2026-11-20T12:00:00.000Z', until: null }),
      'DELETE /api/alerts/acknowledgement': () => {
        acknowledged = null
        return null
      },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Send now: hook' }))
  await expect.poll(() => sent(requests).length).toBe(1)
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge hook' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Until it changes' }))
  await screen.findByText(/Acknowledged by support on/)
  expect(sent(requests).at(-1)).toMatchObject({ body: { key: 'endpoint:3', until: null } })
  await userEvent.click(screen.getByRole('button', { name: 'Withdraw the acknowledgement of hook' }))
  await screen.findByRole('button', { name: 'Acknowledge hook' })
})

test('an alert says in the zone of its reader since when it is', async () => {
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'comma' })
  onTestFinished(() => setReaderFormats())
  renderApp(<AlertsPage />, { user: support, answers: lists })
  const row = await screen.findByRole('listitem', { name: 'Refused number: +44 7700 900123' })
  expect(within(row).getByText(/^since 20\/11\/2026 12:00:00/)).toBeDefined()
})

test('what could not be looked at is named, and rules are for admins', async () => {
  renderApp(<AlertsPage />, {
    user: support,
    answers: { 'GET /api/alerts': { alerts: [], unlisted: [], missing: ['money'] } },
  })
  await screen.findByText('Could not be checked: money')
  expect(screen.queryByText('Nothing is wrong')).toBeNull()
  expect(screen.queryByRole('tab')).toBeNull()
})

test('each kind leads to a fix, and nobody to a page that the role lacks', () => {
  const bind: Alert = {
    ...refused,
    kind: 'refused_bind',
    about: { systemId: 'acme', address: '192.0.2.7', username: 'acme', userId: '7' },
  }
  const labels = (alert: Alert, role: 'admin' | 'support') => fixesOf(alert, role).map(({ label }) => label)
  expect(labels(bind, 'admin')).toEqual(['Open the account', 'Open the recorder'])
  expect(labels(bind, 'support')).toEqual(['Open the account'])
  expect(fixesOf(bind, 'admin')[1]).toMatchObject({
    to: '/smpp-control?tab=connections&flight=refused-acme',
  })
  const throttled: Alert = {
    ...refused,
    kind: 'refused_traffic',
    about: { reason: 'throttled', supplier: 'acme', userId: '7' },
  }
  expect(labels(throttled, 'support')).toEqual(['Open the account'])
  expect(fixesOf(throttled, 'support')).toMatchObject([{ to: '/users/7' }])
  const connection: Alert = { ...refused, kind: 'connection', about: { connectionId: '3' } }
  expect(fixesOf(connection, 'admin')).toMatchObject([{ to: '/connections/3' }])
  const provider: Alert = { ...refused, kind: 'provider', about: { providerId: 'p4', way: 'dead_letters' } }
  expect(fixesOf(provider, 'admin')).toMatchObject([{ label: 'Open dead letters', to: '/providers/p4' }])
  const endpoint: Alert = { ...refused, kind: 'endpoint', about: { endpointId: '5' } }
  expect(fixesOf(endpoint, 'support')).toMatchObject([{ label: 'Open the endpoint', to: '/endpoints/5' }])
  for (const kind of [
    'connection',
    'provider',
    'wallet',
    'late_payment',
    'approval',
    'cycle',
    'number_request',
  ] as const)
    expect(labels({ ...waits, kind }, 'admin')).not.toEqual([])
})

const rule: AlertRule = {
  id: '5',
  name: 'Pager',
  kinds: ['connection'],
  minSeverity: 'critical',
  threshold: 1,
  scope: null,
  scopeName: '',
  forMinutes: 5,
  repeatMinutes: 60,
  inConsole: true,
  mailTo: ['ops@example.org'],
  endpointId: null,
  endpointName: '',
  quietFrom: '22:00',
  quietTo: '07:00',
  timeZone: 'Asia/Jerusalem',
  isOn: true,
  version: 3,
  openCount: 1,
}

test('the ways of a rule are named in the language of the reader', async () => {
  setCatalogue({ console: 'קונסולה', 'webhook {endpointName}': 'וובהוק {endpointName}' })
  onTestFinished(() => setCatalogue({}))
  const ways = {
    endpointId: '3',
    endpointName: 'hook',
    mailTo: [],
    repeatMinutes: 0,
    quietFrom: '',
    quietTo: '',
  }
  renderApp(<AlertsPage />, {
    user: admin,
    url: '/alerts?tab=rules',
    answers: {
      ...lists,
      'GET /api/alert-rules': { rules: [{ ...rule, ...ways }], hasMail: false },
      'GET /api/endpoints': [],
    },
  })
  await screen.findByText('קונסולה · וובהוק hook')
})

test('a rule is told in words, and changed against its version', async () => {
  const { requests } = renderApp(<AlertsPage />, {
    user: admin,
    url: '/alerts?tab=rules',
    answers: {
      ...lists,
      'GET /api/alert-rules': { rules: [rule], hasMail: false },
      'GET /api/endpoints': [],
      'PUT /api/alert-rules/5': rule,
    },
  })
  await screen.findByText('Connection · severity: Critical or higher · for 5 min')
  screen.getByText(
    'console · email to ops@example.org · again every 60 min · quiet from 22:00 to 07:00 (Asia/Jerusalem)',
  )
  screen.getByText('No mail server is set up')
  await userEvent.click(screen.getByRole('button', { name: 'Edit Pager' }))
  const dialog = await screen.findByRole('dialog')
  // As the clock is read everywhere, not in the twelve hours of a browser.
  const quiet = within(dialog).getByLabelText<HTMLInputElement>('Quiet From')
  expect([quiet.type, quiet.value]).toEqual(['text', '22:00'])
  const mail = within(dialog).getByLabelText('Mail To')
  await userEvent.clear(mail)
  await userEvent.type(mail, 'a@example.org, b@example.org')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await expect.poll(() => sent(requests).length).toBe(1)
  expect(sent(requests)[0]!.body).toMatchObject({
    version: 3,
    mailTo: ['a@example.org', 'b@example.org'],
    kinds: ['connection'],
  })
})

test('a new rule begins in the zone that the person reads times in', async () => {
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'comma' })
  onTestFinished(() => setReaderFormats())
  renderApp(<AlertsPage />, {
    user: admin,
    url: '/alerts?tab=rules',
    answers: { ...lists, 'GET /api/alert-rules': { rules: [], hasMail: true }, 'GET /api/endpoints': [] },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Add Rule' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByLabelText<HTMLInputElement>('Time Zone').value).toBe('Asia/Jerusalem')
})

test('a rule is limited to one link, and says how many alerts of the last days it fits', async () => {
  const { requests } = renderApp(<AlertsPage />, {
    user: admin,
    url: '/alerts?tab=rules',
    answers: {
      ...lists,
      'GET /api/alert-rules': { rules: [rule], hasMail: true },
      'GET /api/alert-rules/fitting': { count: 3, since: '2026-11-22T10:00:00.000Z' },
      'GET /api/endpoints': [],
      'GET /api/smpp-connections': [connectedLink],
      'PUT /api/alert-rules/5': rule,
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Pager' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('3 alerts since 22/11/2026 | 10:00 Sun fit this rule.')).toBeDefined()
  await userEvent.selectOptions(dialog.getByLabelText('Only about'), 'One connection')
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await dialog.findByRole('combobox', { name: 'Which', description: 'Choose one' })).toBeDefined()
  await userEvent.selectOptions(dialog.getByLabelText('Which'), await dialog.findByText(connectedLink.name))
  const asked = () => requests.findLast(({ path }) => path === '/api/alert-rules/fitting')?.query
  await expect.poll(() => asked()?.get('scopeId')).toBe(connectedLink.id)
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await expect.poll(() => sent(requests).length).toBe(1)
  expect(sent(requests)[0]!.body).toMatchObject({ scope: { kind: 'connection', id: connectedLink.id } })
})

test('of many alerts fifty are drawn, and fifty more on request', async () => {
  const alerts = Array.from({ length: 120 }, (_, at) => ({
    ...refused,
    key: `refused_number:unknown:${at}`,
  }))
  renderApp(<AlertsPage />, {
    user: support,
    answers: { 'GET /api/alerts': { alerts, unlisted: [], missing: [] } },
  })
  await screen.findByText('120')
  expect(screen.getAllByRole('listitem')).toHaveLength(50)
  await userEvent.click(screen.getByRole('button', { name: 'Show 50 more' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  await userEvent.click(screen.getByRole('button', { name: 'Show 20 more' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(120)
  expect(screen.queryByRole('button', { name: /^Show / })).toBeNull()
})

test('what the list leaves out is counted in the group, and said below it', async () => {
  renderApp(<AlertsPage />, {
    user: support,
    answers: {
      'GET /api/alerts': {
        alerts: [refused, waits],
        unlisted: [
          { kind: 'refused_number', severity: 'warning', count: 1_230 },
          { kind: 'refused_bind', severity: 'notice', count: 9 },
        ],
        missing: [],
      },
    },
  })
  await screen.findByText('1,231')
  screen.getByText('10')
  screen.getByText('Refused number: 1,230 more are not listed. They appear as those above are resolved.')
  screen.getByText('Refused bind: 9 more are not listed. They appear as those above are resolved.')
})
