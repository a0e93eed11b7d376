import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import '@tollgate/contract/route.ts'
import { setCatalogue } from '../language/t.ts'
import { renderApp } from '../testing/render.tsx'
import { TextField } from '../ui/Field.tsx'
import { fieldOf, useApiForm } from './use-api-form.ts'

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

test('what a schema of the contract refuses is said in the language of the reader', async () => {
  setCatalogue({ 'Enter a name': 'יש להזין שם', 'At most {count} characters': 'עד {count} תווים' })
  renderApp(<Form />)
  await userEvent.click(await screen.findByRole('button', { name: 'Save' }))
  await screen.findByText('יש להזין שם')
  expect(screen.getByText('עד 2 תווים')).toBeDefined()
})
