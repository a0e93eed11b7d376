import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Logo } from '../ui/Logo.tsx'
import { useTitle } from '../ui/use-title.ts'
import { t } from '../language/t.ts'

/** Spec §2: any other path. */
export function NotFoundPage() {
  useTitle(t('Page Not Found'))
  return (
    <main className="grid min-h-dvh place-items-center px-6">
      <div className="flex flex-col items-center gap-4 text-center">
        <Logo size={40} />
        <div className="space-y-1">
          <h1 className="text-xl">{t('Page Not Found')}</h1>
          <p className="text-ink-3">
            {t('There is nothing at this address. The link may be old or mistyped.')}
          </p>
        </div>
        <Link to={paths.home} className={buttonClass('secondary')}>
          {t('Go to the dashboard')}
        </Link>
      </div>
    </main>
  )
}
