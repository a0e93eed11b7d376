import { Link } from '@tanstack/react-router'
import { unknownFigure } from '../format/money.ts'
import { linkName } from '../ui/link-name.ts'

interface FigureLinkProps {
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  /** For screen readers: what is counted. */
  readonly label: string
  readonly figure: string
}

/** A head figure that leads to the list that it is the sum of. */
function FigureLink({ to, search = {}, label, figure }: FigureLinkProps) {
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

/** The figure as such a link; while it is loading or not known it leads nowhere. */
export function linkedFigure(
  figure: string | undefined,
  label: string,
  to: string,
  search?: Readonly<Record<string, string>>,
) {
  return figure === undefined || figure === unknownFigure ? (
    figure
  ) : (
    <FigureLink figure={figure} label={label} to={to} {...(search && { search })} />
  )
}
