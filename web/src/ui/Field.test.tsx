import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { SelectField } from './Field.tsx'

const clients = Array.from({ length: 1_000 }, (_, at) => ({ value: `client${at}`, label: `client${at}` }))

function Clients() {
  const [value, setValue] = useState('client7')
  return (
    <SelectField
      label="Client"
      value={value}
      options={[{ value: '', label: 'All Clients' }, ...clients]}
      onChange={(event) => setValue(event.target.value)}
    />
  )
}

const drawn = () => screen.getAllByRole('option').map((option) => option.textContent)

test('a long list is drawn once somebody goes to it, by keyboard or pointer', async () => {
  const { unmount } = render(<Clients />)
  expect(drawn()).toEqual(['All Clients', 'client7'])
  expect(screen.getByRole<HTMLSelectElement>('combobox').value).toBe('client7')
  await userEvent.tab()
  expect(drawn()).toHaveLength(1_001)
  await userEvent.selectOptions(screen.getByRole('combobox'), 'client999')
  expect(screen.getByRole<HTMLSelectElement>('combobox').value).toBe('client999')
  unmount()
  render(<Clients />)
  await userEvent.pointer({ keys: '[MouseLeft>]', target: screen.getByRole('combobox') })
  expect(drawn()).toHaveLength(1_001)
})
