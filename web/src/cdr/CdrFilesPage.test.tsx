import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { CdrFile, CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { expect, test } from 'vitest'
import { refusal, sent } from '../testing/api-stub.ts'
import { plainText, readHebrew } from '../testing/hebrew.ts'
import { renderApp, support } from '../testing/render.tsx'
import { CdrFilesPage } from './CdrFilesPage.tsx'

const schedule: CdrSchedule = {
  id: '3',
  name: 'acme',
  every: 'hour',
  format: 'csv',
  columns: 'messageId,createdAt',
  client: null,
  gateway: null,
  destination: {
    type: 'sftp',
    host: 'files.example.com',
    port: 2022,
    username: 'cdr',
    path: '/in',
    hostKey: '',
    signIn: 'password',
  },
  hasSecret: true,
  isPaused: false,
  nextAt: '2026-11-20T13:00:00.000Z',
  waiting: 1,
  failing: {
    since: '2026-11-20T12:00:00.000Z',
    attempts: 2,
    error: 'The server cannot be reached.',
    nextAttemptAt: '2026-11-20T12:01:00.000Z',
  },
  lastDelivered: null,
  version: 4,
  createdAt: '2026-11-20T10:00:00.000Z',
}
const file: CdrFile = {
  id: '44',
  sequence: 1,
  name: 'acme-000001-20261120T1100Z.csv',
  state: 'waiting',
  periodFrom: '2026-11-20T11:00:00.000Z',
  periodTo: '2026-11-20T12:00:00.000Z',
  recordCount: 1_200,
  sizeBytes: 58_000,
  sha256: 'ab'.repeat(32),
  attempts: 2,
  error: 'The server cannot be reached.',
  nextAttemptAt: '2026-11-20T12:01:00.000Z',
  deliveredAt: null,
}
const listed = { 'GET /api/cdr-schedules': { canUseFolders: false, schedules: [schedule] } }

test('a failing schedule says why, lists its files with count and hash, and sends one now', async () => {
  const { requests } = renderApp(<CdrFilesPage />, {
    user: support,
    answers: {
      ...listed,
      'GET /api/cdr-schedules/3/files': [file],
      'POST /api/cdr-schedules/3/files/44/send': file,
    },
  })
  await userEvent.click(await screen.findByText('acme'))
  const drawer = await screen.findByRole('dialog', { name: 'Schedule acme' })
  within(drawer).getByText('sftp://cdr@files.example.com:2022/in')
  await within(drawer).findByText(/1,200 records · 58.0 kB/)
  within(drawer).getByText(/abababababab/)
  await userEvent.click(within(drawer).getByRole('button', { name: `Send now: ${file.name}` }))
  await expect.poll(() => sent(requests).length).toBe(1)
})

test('a schedule is changed without its secret, and only chosen columns are sent', async () => {
  const { requests } = renderApp(<CdrFilesPage />, {
    user: support,
    answers: {
      ...listed,
      'GET /api/cdr-schedules/3/files': [],
      'PUT /api/cdr-schedules/3': schedule,
      'GET /api/records/filters': {
        ranges: [],
        clients: ['mary'],
        gateways: [],
        countries: [],
        withoutReceiver: [],
      },
    },
  })
  await userEvent.click(await screen.findByText('acme'))
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  const dialog = await screen.findByRole('dialog', { name: 'Edit acme' })
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'amountUsd' }))
  await userEvent.selectOptions(await within(dialog).findByLabelText('Client'), 'mary')
  expect((within(dialog).getByLabelText('Password') as HTMLInputElement).value).toBe('')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await expect
    .poll(() => sent(requests))
    .toMatchObject([
      {
        body: {
          columns: 'messageId,createdAt,amountUsd',
          client: 'mary',
          secret: '',
          version: 4,
          destination: schedule.destination,
        },
      },
    ])
})

test('what is wrong with the destination stands at its field', async () => {
  renderApp(<CdrFilesPage />, {
    user: support,
    answers: {
      ...listed,
      'POST /api/cdr-schedules': refusal(400, {
        code: 'invalid',
        message: 'Some fields are not valid. Correct them and try again.',
        fields: {
          'destination.bucket': 'Enter the name of the bucket',
          secret: 'Enter the secret access key',
        },
      }),
      'GET /api/records/filters': {
        ranges: [],
        clients: [],
        gateways: [],
        countries: [],
        withoutReceiver: [],
      },
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Add schedule' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add schedule' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add schedule' }))
  const bucket = await within(dialog).findByLabelText('Bucket')
  await expect.poll(() => bucket.getAttribute('aria-invalid')).toBe('true')
  within(dialog).getByText('Enter the name of the bucket')
  expect(within(dialog).getByLabelText('Region').getAttribute('aria-invalid')).not.toBe('true')
  expect(within(dialog).getByLabelText('Secret access key').getAttribute('aria-invalid')).toBe('true')
})

test('why a schedule fails is said in the language of the reader, with the values of the fault', async () => {
  await readHebrew()
  const error =
    'The storage answered 403 AccessDenied for the bucket cdr.files. The key may not write there: permit it s3:PutObject for this bucket and folder.'
  const failing = { ...schedule, failing: schedule.failing && { ...schedule.failing, error } }
  renderApp(<CdrFilesPage />, {
    user: support,
    answers: { 'GET /api/cdr-schedules': { canUseFolders: false, schedules: [failing] } },
  })
  const shown = await screen.findByText(/AccessDenied/)
  expect(plainText(shown)).toContain(
    'האחסון ענה 403 AccessDenied עבור הדלי cdr.files. המפתח אינו רשאי לכתוב שם: יש להתיר לו s3:PutObject עבור דלי ותיקייה אלה.',
  )
})
