import { Link } from '@tanstack/react-router'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderApp } from '../testing/render.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextField } from '../ui/Field.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'

function Page() {
  return (
    <>
      <LeaveGuard />
      <PageForm>
        <TextField label="Name" defaultValue="Ada" />
      </PageForm>
      <Link to="/other">Other page</Link>
      <Link to="/form" search={{ tab: 'second' } as never}>
        Other tab
      </Link>
      <Link to="/form" search={{ open: '7' } as never}>
        Row
      </Link>
    </>
  )
}

const follow = async (name: string) => userEvent.click(await screen.findByRole('link', { name }))
const answer = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))

test('a link to another page or tab asks before it drops what was typed, and can be taken back', async () => {
  const { address } = renderApp(<Page />, { url: '/form' })
  await userEvent.type(await screen.findByLabelText('Name'), ' Lovelace')
  await follow('Row')
  await expect.poll(address).toBe('/form?open=7')
  for (const name of ['Other page', 'Other tab']) {
    await follow(name)
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' })
    await answer('Stay')
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(address()).toBe('/form?open=7')
  }
  await follow('Other page')
  await answer('Discard')
  await expect.poll(address).toBe('/other')
})

test('an untouched form, and one whose text was put back, lets everybody go', async () => {
  const { address } = renderApp(<Page />, { url: '/form' })
  await userEvent.type(await screen.findByLabelText('Name'), '!{Backspace}')
  await follow('Other page')
  await expect.poll(address).toBe('/other')
})

test('a dialog around such a form asks before it closes', async () => {
  function Account() {
    const [isOpen, setOpen] = useState(true)
    return (
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Your account" closeLabel="Close it">
        <PageForm>
          <TextField label="Name" />
          <Button type="submit">Save</Button>
        </PageForm>
      </Dialog>
    )
  }
  renderApp(<Account />)
  await userEvent.type(await screen.findByLabelText('Name'), 'key')
  await answer('Close it')
  await screen.findByText('Leave without saving?')
  await answer('Discard')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
