import { useUser } from '../api/session.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Skeleton } from '../ui/States.tsx'
import { mayOpen, type ConsolePage } from './console-page.ts'
import { useTitle } from '../ui/use-title.ts'
import { t } from '../language/t.ts'

const DeniedPage = lazyComponent(() => import('./DeniedPage.tsx'), 'DeniedPage')

/** A page behind its permission, with its title. A role without it sees 'Access Denied' and fetches nothing. */
export function PageFrame({ page }: { page: ConsolePage }) {
  const isAllowed = mayOpen(useUser(), page)
  useTitle(isAllowed ? page.title : t('Access Denied'))
  const Component = page.component
  if (!isAllowed) return <DeniedPage path={page.path} />
  return <Component waiting={<PageSkeleton title={page.title} />} />
}

function PageSkeleton({ title }: { title: string }) {
  return (
    <div aria-busy="true" className="space-y-4 max-sm:pt-4">
      <span role="status" className="sr-only">
        {t('Loading')} {title}
      </span>
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-32 w-full rounded-lg" />
      <Skeleton className="h-64 w-full rounded-lg" />
    </div>
  )
}
