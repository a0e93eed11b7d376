import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** One line about the page. */
  readonly children?: ReactNode
  /** At the right. Each screen has at most one primary button. */
  readonly actions?: ReactNode
}

/** The only h1 of the page. On a phone it is the top bar beside the menu button, above the notices of the shell. */
export function PageHeader({ title, children, actions }: PageHeaderProps) {
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 max-sm:sticky max-sm:-order-1 max-sm:flex-nowrap max-sm:top-0 max-sm:z-20 max-sm:-mx-4 max-sm:min-h-14 max-sm:items-center max-sm:border-b max-sm:border-line max-sm:bg-surface max-sm:py-1.5 max-sm:pe-4 max-sm:ps-14">
        {/* The title may wrap below 16 rem, before the actions move to the next line. */}
        <div className="min-w-0 grow space-y-0.5 max-sm:min-w-min max-sm:flex-1 sm:basis-64">
          <h1 className="text-xl tracking-[-0.02em] max-sm:text-lg max-sm:leading-5">{title}</h1>
          {/* Not a paragraph: it is in the language of the page, also when it begins with a Latin word. */}
          {children !== undefined && <div className="text-pretty text-ink-3 max-sm:hidden">{children}</div>}
        </div>
        {actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2 max-sm:justify-end">{actions}</div>
        )}
      </header>
      {children !== undefined && <div className="-order-1 text-pretty text-ink-3 sm:hidden">{children}</div>}
    </>
  )
}
