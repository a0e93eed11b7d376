// How a person wants CSV files: for programs, or so that Excel opens them by a double click.
import { figureSeparators, zoneName } from '../language/reader.ts'
import { isBoolean, useScreenSetting } from './screen-settings.ts'

/** As every export of the API takes it. */
interface ChosenForm {
  readonly form?: 'excel'
  readonly zone?: string
  readonly decimal?: 'comma'
}

/** The choice, kept with the account, and what it adds to the query of an export. */
export function useCsvForm() {
  const [isForExcel, setForExcel] = useScreenSetting('csv-for-excel', false, isBoolean)
  const query: ChosenForm = isForExcel
    ? {
        form: 'excel',
        zone: zoneName(),
        ...(figureSeparators().decimal === ',' && { decimal: 'comma' }),
      }
    : {}
  return { isForExcel, setForExcel, query }
}
