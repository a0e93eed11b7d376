import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { connectedLink } from '../testing/connections.ts'
import { renderApp } from '../testing/render.tsx'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { ConnectionOverview } from './ConnectionOverview.tsx'

const pem = '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n'
const plain = { ...connectedLink, useTls: false }
const trusting = { ...connectedLink, tlsCa: pem, tlsName: 'smsc.internal' }

async function openForm(connection: typeof connectedLink) {
  const { requests } = renderApp(<ConnectionDialog connection={connection} onClose={() => undefined} />, {
    answers: { 'PUT /api/smpp-connections/7': connection, 'GET /api/smpp-connections': [connection] },
  })
  const form = within(await screen.findByRole('dialog'))
  const user = userEvent.setup()
  return {
    user,
    form,
    flip: () => user.click(form.getByLabelText('Connect over TLS')),
    paste: async (text: string) => {
      await user.clear(form.getByLabelText('Own CA (PEM)'))
      await user.click(form.getByLabelText('Own CA (PEM)'))
      await user.paste(text)
    },
    save: () => user.click(form.getByRole('button', { name: 'Save' })),
    sent: () => requests.find(({ method }) => method === 'PUT')?.body,
  }
}

test('a CA and a name are asked for with TLS alone, and are sent', async () => {
  const { user, form, flip, paste, save, sent } = await openForm(plain)
  expect(form.queryByLabelText('Own CA (PEM)')).toBeNull()
  await flip()
  await paste(`subject=CN = any\n${pem}`)
  await user.type(form.getByLabelText('Expected name'), 'smsc.internal')
  await user.type(form.getByLabelText('Password'), 'pass1234')
  await save()
  await waitFor(() => expect(sent()).toMatchObject({ useTls: true, tlsCa: pem, tlsName: 'smsc.internal' }))
})

test('a private key is refused in the form, and leaves it for nowhere', async () => {
  const { form, paste, save, sent } = await openForm(connectedLink)
  await paste('-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----\n')
  await save()
  expect(await form.findByText(/^This contains a private key/)).toBeTruthy()
  expect(sent()).toBeUndefined()
})

test('another CA or name wants the password again', async () => {
  const { user, form, paste } = await openForm(trusting)
  await user.type(form.getByLabelText('Expected name'), '.example')
  expect(form.getByText('Enter the password again: the expected name has changed')).toBeTruthy()
  await paste('another')
  expect(form.getByText('Enter the password again: the CA has changed')).toBeTruthy()
})

test('without TLS neither is kept, whatever stood in the fields', async () => {
  const { user, form, flip, paste, save, sent } = await openForm(trusting)
  await paste('no PEM')
  await flip()
  await user.type(form.getByLabelText('Password'), 'pass1234')
  await save()
  await waitFor(() => expect(sent()).toMatchObject({ useTls: false, tlsCa: null, tlsName: null }))
})

test('the page of a connection shows its CA with its end, and the expected name', async () => {
  const certificate = { subject: 'CN=Old CA', fingerprint: 'AB:CD', validTo: '2021-01-01T00:00:00.000Z' }
  const tlsCertificates = [
    { ...certificate, isExpired: true },
    { subject: 'CN=New CA', fingerprint: 'EF:01', validTo: '2126-01-01T00:00:00.000Z', isExpired: false },
  ]
  renderApp(<ConnectionOverview connection={{ ...trusting, tlsCertificates }} />, { url: '/', answers: {} })
  const facts = (await screen.findByText('Own CA')).closest('dl')
  expect(facts?.textContent).toMatch(
    /CN=Old CA expired on .*2021.*CN=New CA until .*2126.*Expected namesmsc\.internal/,
  )
})
