import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { labelled } from '@tollgate/contract/sentences.ts'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import '@tollgate/contract/route.ts'
import { setCatalogue } from '../language/t.ts'
import { renderApp } from '../testing/render.tsx'
import { TextField } from '../ui/Field.tsx'
import { ApiError } from './api-error.ts'
import { fieldOf, saysNoMoreThanFields, useApiForm } from './use-api-form.ts'

const schema = z.object({
  name: z.string().min(1, 'Enter a name'),
  deep: z.object({ code: z.string().max(2) }),
})

function Form() {
  const form = useApiForm(schema, { name: '', deep: { code: 'abc' } })
  return (
    <form noValidate onSubmit={(event) => void form.handleSubmit(() => undefined)(event)}>
      <TextField label="Name" {...fieldOf(form, 'name')} />
      <TextField label="Code" {...fieldOf(form, 'deep.code')} />
      <button type="submit">Save</button>
    </form>
  )
}

afterEach(() => setCatalogue({}))

test('an empty field is judged when somebody goes on, not when the focus is taken from the form', async () => {
  renderApp(<Form />)
  const name = await screen.findByLabelText('Name')
  await userEvent.click(name)
  await userEvent.click(document.body)
  expect(screen.queryByText('Enter a name')).toBeNull()
  await userEvent.click(name)
  await userEvent.tab()
  await screen.findByText('Enter a name')
})

test('what a schema of the contract refuses is said in the language of the reader', async () => {
  setCatalogue({ 'Enter a name': 'יש להזין שם', 'At most {count} characters': 'עד {count} תווים' })
  renderApp(<Form />)
  await userEvent.click(await screen.findByRole('button', { name: 'Save' }))
  await screen.findByText('יש להזין שם')
  expect(screen.getByText('עד 2 תווים')).toBeDefined()
})

test.each([
  ['This username is taken', 'This username is taken', true],
  ['This username is taken.', 'This username is taken', true],
  ['username: Required', 'Required', true],
  ['Global SMS rate: At most 1,000.', 'At most 1,000', true],
  ['Some fields are not valid. Correct them and try again.', 'Required', true],
  ['This username is taken. Choose another one.', 'This username is taken', false],
  ['Nobody has this name. Enter a name', 'Enter a name', false],
  ['Something is wrong.', '', false],
])('a refusal “%s” beside “%s” at its field says no more: %s', (message, username, isAll) => {
  const body = JSON.stringify({ code: 'invalid', message, fields: { username } })
  expect(saysNoMoreThanFields(new ApiError(400, '', body))).toBe(isAll)
})

test('in the language of the reader a refusal is compared without the marks around its values', () => {
  const body = JSON.stringify({
    code: 'invalid',
    message: 'username: Required',
    words: labelled('username', 'Required'),
    fields: { username: 'Required' },
  })
  setCatalogue({ Required: 'שדה חובה' }, 'rtl')
  expect(saysNoMoreThanFields(new ApiError(400, '', body))).toBe(true)
})
