import { Link } from '@tanstack/react-router'
import { unknownFigure } from '../format/money.ts'
import { linkName } from '../ui/link-name.ts'

/** A head figure that leads to the list that it is the sum of; while it is loading or not known it leads nowhere. */
export function linkedFigure(
  figure: string | undefined,
  /** For screen readers: what is counted. */
  label: string,
  to: string,
  search: Readonly<Record<string, string>> = {},
) {
  if (figure === undefined || figure === unknownFigure) return figure
  return (
    <Link
      to={to}
      search={search as never}
      aria-label={linkName(figure, label)}
      className="rounded-xs underline decoration-line-strong decoration-1 underline-offset-4 hover:decoration-current"
    >
      {figure}
    </Link>
  )
}
