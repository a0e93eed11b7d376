// What production needs beside the first message. Each line reads its state from the gateway.
import { Link } from '@tanstack/react-router'
import { alertRoutes, type Setup } from '@tollgate/contract/alerts/alerts.ts'
import { X } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { t } from '../language/t.ts'
import { paths } from '../paths.ts'
import { Card } from '../ui/Card.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'

interface Need {
  readonly title: string
  readonly isDone: boolean
  /** Where it is done. */
  readonly how: ReactNode
}

function needsOf(setup: Setup): readonly Need[] {
  const { smppHost, hasSmppTls, lastBackupAt } = setup
  return [
    {
      title: t('A second admin'),
      isDone: setup.adminCount > 1,
      how: <HowLink to={paths.users}>{t('Users Management')}</HowLink>,
    },
    { title: t('A node for the chain'), isDone: setup.hasChainNode, how: <SetName name="TRON_API_URL" /> },
    { title: t('Mail'), isDone: setup.hasMail, how: <SetName name="SMTP_URL" /> },
    ...(lastBackupAt === undefined
      ? []
      : [{ title: t('A backup'), isDone: lastBackupAt !== null, how: <code>{setup.backupCommand}</code> }]),
    setup.isSmppPublic
      ? { title: t('SMPP over TLS'), isDone: hasSmppTls, how: <SetName name="SMPP_TLS_PORT" /> }
      : {
          title: t('A public SMPP host, not {host}', { host: smppHost }),
          isDone: false,
          how: (
            <HowLink to={paths.adminSettings} search={{ find: 'smpp_public_address' }}>
              {t('Admin Settings')}
            </HowLink>
          ),
        },
    {
      title: t('An alert rule'),
      isDone: setup.ruleCount > 0,
      how: (
        <HowLink to={paths.alerts} search={{ tab: 'rules' }}>
          {t('Alerts')}
        </HowLink>
      ),
    },
    {
      // Whoever pumps is gone with the money in a week.
      title: t('A wait before newcomers are paid'),
      isDone: setup.newcomerDays > 0,
      how: <HowLink to={paths.adminSettings}>{t('Admin Settings')}</HowLink>,
    },
  ]
}

/** The list, until all of it is there or the person does not want to see it any more. */
export function BeforeLive({ onEnd }: { readonly onEnd: () => void }) {
  const setup = useApiQuery(alertRoutes.readSetup)
  const needs = setup.data && needsOf(setup.data)
  const isOver = needs?.every(({ isDone }) => isDone) === true
  useEffect(() => {
    if (isOver) onEnd()
  }, [isOver, onEnd])
  if (isOver || setup.error) return null
  return (
    <Card
      title={t('Before you go live')}
      aside={<IconButton icon={X} label={t('Do not show this list again')} onClick={onEnd} />}
    >
      <ul
        aria-label={t('Before you go live')}
        className={`grid gap-x-6 gap-y-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4 ${needs ? '' : 'min-h-11 max-sm:min-h-65'}`}
      >
        {needs?.map((need) => (
          <NeedItem key={need.title} need={need} />
        ))}
      </ul>
    </Card>
  )
}

function NeedItem({ need: { title, isDone, how } }: { readonly need: Need }) {
  return (
    <li className="flex items-start gap-2.5">
      <span className="grid h-5 place-items-center">
        <StatusIcon shape={isDone ? 'check' : 'ring'} tone={isDone ? 'ok' : 'idle'} />
      </span>
      <div className="min-w-0">
        <p className={isDone ? 'text-ink-3' : 'font-medium'}>
          {title}
          <span className="sr-only">: {isDone ? t('done') : t('to do')}</span>
        </p>
        {!isDone && <p className="text-xs break-words text-ink-3">{how}</p>}
      </div>
    </li>
  )
}

interface HowLinkProps {
  readonly to: string
  readonly search?: object
  readonly children: ReactNode
}

function HowLink({ to, search = {}, children }: HowLinkProps) {
  return (
    <Link to={to} search={search as never} className="text-accent-ink underline underline-offset-2">
      {children}
    </Link>
  )
}

/** What the gateway is started with. */
function SetName({ name }: { readonly name: string }) {
  return t('Start with {name}', { name })
}
