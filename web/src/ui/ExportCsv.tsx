import { buttonClass } from './Button.tsx'
import { t } from '../language/t.ts'

/** At the foot of a list: downloads all rows that match the filter. */
export function ExportCsv({ href }: { href: string }) {
  return (
    <a href={href} download className={`ms-auto ${buttonClass('secondary', 'sm')}`}>
      {t('Export CSV')}
    </a>
  )
}
