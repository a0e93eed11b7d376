// The alias of a supplier in the dialogs about it: Save saves it too, and leaving asks about it.
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import { ConnectionDialog } from '../connections/ConnectionDialog.tsx'
import { ProviderDialog } from '../providers/ProviderDialog.tsx'
import { refusal, sent, type ApiStubs } from '../testing/api-stub.ts'
import { connectedLink } from '../testing/connections.ts'
import { someProvider } from '../testing/objects.ts'
import { renderApp } from '../testing/render.tsx'

interface Dialog {
  readonly make: (onClose: () => void) => ReactNode
  readonly save: string
  readonly path: string
  readonly key: object
}

const dialogs: Readonly<Record<string, Dialog>> = {
  connection: {
    make: (onClose) => <ConnectionDialog connection={connectedLink} onClose={onClose} />,
    save: 'Save',
    path: '/api/smpp-connections/7',
    key: { source: 'connection', name: connectedLink.name },
  },
  provider: {
    make: (onClose) => <ProviderDialog kind="edit" provider={someProvider} onClose={onClose} />,
    save: 'Save Configuration',
    path: '/api/providers/7',
    key: { source: 'provider', name: someProvider.name },
  },
}

async function openDialog({ make, path }: Dialog, answers: ApiStubs = {}) {
  const onClose = vi.fn()
  const { requests } = renderApp(make(onClose), {
    answers: {
      'GET /api/suppliers/alias': { chosen: '', shown: 'Supplier 7' },
      'PUT /api/suppliers/alias': { chosen: 'West', shown: 'West' },
      [`PUT ${path}`]: path.includes('providers') ? someProvider : connectedLink,
      ...answers,
    },
  })
  await userEvent.type(await screen.findByLabelText('Alias for Clients'), 'West')
  const calls = () => sent(requests).map((call) => call.path)
  return { requests, calls, onClose }
}

test.each(Object.entries(dialogs))(
  'Save of a %s saves the alias that was typed, and nothing else',
  async (_, dialog) => {
    const { requests, onClose } = await openDialog(dialog)
    await userEvent.click(screen.getByRole('button', { name: dialog.save }))
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(sent(requests).map(({ path, body }) => [path, body])).toEqual([
      ['/api/suppliers/alias', { ...dialog.key, alias: 'West' }],
    ])
  },
)

test.each(Object.entries(dialogs))(
  'Save of a %s saves its alias before what else was changed',
  async (_, dialog) => {
    const { calls, onClose } = await openDialog(dialog)
    await userEvent.type(screen.getByLabelText('Name'), '2')
    await userEvent.click(screen.getByRole('button', { name: dialog.save }))
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(calls()).toEqual(['/api/suppliers/alias', dialog.path])
  },
)

test.each(Object.entries(dialogs))(
  'an alias that was refused keeps the dialog of a %s open',
  async (_, dialog) => {
    const { calls, onClose } = await openDialog(dialog, {
      'PUT /api/suppliers/alias': refusal(409, { code: 'taken', message: 'This alias is taken.' }),
    })
    await userEvent.type(screen.getByLabelText('Name'), '2')
    await userEvent.click(screen.getByRole('button', { name: dialog.save }))
    expect(await screen.findByText('This alias is taken.')).toBeDefined()
    expect(calls()).toEqual(['/api/suppliers/alias'])
    expect(onClose).not.toHaveBeenCalled()
  },
)

test.each(Object.entries(dialogs))(
  'Save of a %s goes to an alias that cannot be saved, and sends nothing',
  async (_, dialog) => {
    const { calls, onClose } = await openDialog(dialog)
    await userEvent.type(screen.getByLabelText('Alias for Clients'), 'x'.repeat(70))
    await userEvent.type(screen.getByLabelText('Name'), '2')
    await userEvent.click(screen.getByRole('button', { name: dialog.save }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Alias for Clients')))
    expect(document.activeElement?.getAttribute('aria-invalid')).toBe('true')
    expect(calls()).toEqual([])
    expect(onClose).not.toHaveBeenCalled()
  },
)

test.each(Object.entries(dialogs))(
  'leaving the dialog of a %s asks about an alias that was typed',
  async (_, dialog) => {
    const { onClose } = await openDialog(dialog)
    await userEvent.keyboard('{Escape}')
    expect(screen.getByText('Leave without saving?')).toBeDefined()
    expect(onClose).not.toHaveBeenCalled()
  },
)
