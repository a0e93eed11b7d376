import { buttonClass } from './Button.tsx'

/** At the foot of a list: downloads all rows that match the filter. */
export function ExportCsv({ href }: { href: string }) {
  return (
    <a href={href} download className={`ms-auto ${buttonClass('secondary', 'sm')}`}>
      Export CSV
    </a>
  )
}
