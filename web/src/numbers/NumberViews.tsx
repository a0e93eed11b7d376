import { Link, useLocation } from '@tanstack/react-router'
import { t } from '../language/t.ts'
import { paths } from '../paths.ts'
import { classNames } from '../ui/class-names.ts'

const views = [
  { path: paths.numbers, label: t('Premium Numbers') },
  { path: paths.numbersManagement, label: t('Numbers Management') },
  { path: paths.numberInventory, label: t('Number Inventory') },
] as const

/** The three views that staff have of the same numbers: by account, as they are kept, and as stock. */
export function NumberViews() {
  const { pathname } = useLocation()
  return (
    <nav
      aria-label={t('Views of the numbers')}
      className="inline-grid max-w-full auto-cols-fr grid-flow-col self-start rounded-lg border border-line bg-surface-3 p-0.5"
    >
      {views.map(({ path, label }) => {
        const isShown = pathname === path
        return (
          <Link
            key={path}
            to={path}
            aria-current={isShown ? 'page' : undefined}
            activeProps={{}}
            className={classNames(
              'grid h-7 place-items-center rounded-md px-3 text-center font-medium max-sm:h-11 max-sm:px-1.5 max-sm:text-xs',
              isShown ? 'bg-surface text-ink shadow-card' : 'text-ink-2 hover:text-ink',
            )}
          >
            {label}
          </Link>
        )
      })}
    </nav>
  )
}
