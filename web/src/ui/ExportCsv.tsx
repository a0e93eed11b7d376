import type { ComponentProps } from 'react'
import { buttonClass } from './Button.tsx'
import { Checkbox } from './Checkbox.tsx'
import { useCsvForm } from './csv-form.ts'
import { t } from '../language/t.ts'

/** A link to a CSV, which comes in the form that this person has chosen. */
export function CsvLink({ href, ...rest }: ComponentProps<'a'> & { readonly href: string }) {
  const { query } = useCsvForm()
  const [path = '', own] = href.split('?')
  const search = new URLSearchParams(own)
  for (const [name, value] of Object.entries<string>({ ...query })) search.set(name, value)
  return <a download {...rest} href={search.size === 0 ? path : `${path}?${search.toString()}`} />
}

/** Whether CSV files are written for Excel, here and on every other page. */
export function CsvFormChoice() {
  const { isForExcel, setForExcel } = useCsvForm()
  return (
    <Checkbox
      label={t('For Excel')}
      title={t('Opens by a double click: times in your time zone, figures as you read them')}
      checked={isForExcel}
      onChange={({ target }) => setForExcel(target.checked)}
    />
  )
}

/** At the foot of a list: downloads all rows that match the filter. */
export function ExportCsv({ href }: { href: string }) {
  return (
    <span className="ms-auto flex flex-wrap items-center gap-x-3 gap-y-1">
      <CsvFormChoice />
      <CsvLink href={href} className={buttonClass('secondary', 'sm')}>
        {t('Export CSV')}
      </CsvLink>
    </span>
  )
}
