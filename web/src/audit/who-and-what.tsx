// Who did it, and to what: names that lead to their pages.
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '@tollgate/contract/audit/audit.ts'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { settingName } from '../format/setting-name.ts'
import { paths, type ObjectKind } from '../paths.ts'
import { t } from '../language/t.ts'
import { objectWord } from './words.ts'

/** The person, or what of the gateway did it by itself. */
export function Who({ entry: { actorId, actor, after } }: { entry: AuditEntry }) {
  if (actorId !== null)
    return (
      <ObjectLink kind="person" id={actorId}>
        {actor}
      </ObjectLink>
    )
  if (actor !== 'system') return actor
  const run = after?.['run']
  if (typeof run !== 'string') return t('System')
  return (
    <PageLink to={`${paths.paymentManagement}?${new URLSearchParams({ tab: 'runs', run }).toString()}`}>
      {t('System, for run {run}', { run })}
    </PageLink>
  )
}

const pages: Readonly<Record<string, ObjectKind>> = {
  user: 'person',
  number: 'number',
  range: 'range',
  connection: 'connection',
  provider: 'provider',
  endpoint: 'endpoint',
  billing_period: 'bill',
}

/** 'number 4420…', 'setting who may sign up': each leads to its page. */
export function What({ entry }: { entry: AuditEntry }) {
  return (
    <>
      {objectWord(entry.objectType)} <ObjectName entry={entry} />
    </>
  )
}

function ObjectName({ entry: { objectType, objectId, objectName } }: { entry: AuditEntry }) {
  if (objectType === 'setting') return <PageLink to={settingPath(objectId)}>{settingName(objectId)}</PageLink>
  if (objectType === 'payment_run')
    return <PageLink to={`${paths.paymentManagement}?tab=runs&run=${objectId}`}>{objectId}</PageLink>
  if (objectType === 'number_request')
    return <PageLink to={`${paths.numberRequests}?status=all`}>{objectId}</PageLink>
  const isOfClient = objectType === 'billing_period' || objectType === 'payout'
  const name = isOfClient && objectName !== '' ? `#${objectId} ${objectName}` : objectName || objectId
  const kind = pages[objectType]
  // Without a name it is gone.
  if (kind === undefined || objectName === '')
    return <span className={objectName === '' ? 'font-mono' : undefined}>{name}</span>
  return (
    <ObjectLink kind={kind} id={objectId}>
      {name}
    </ObjectLink>
  )
}

const settingPath = (key: string): string =>
  key === 'global_sms_rate' ? paths.adminSettings : `${paths.adminSettings}?tab=settings&find=${key}`

function PageLink({ to, children }: { to: string; children: string }) {
  return (
    <Link
      to={to}
      onClick={(event) => event.stopPropagation()}
      className="rounded-xs text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {children}
    </Link>
  )
}
