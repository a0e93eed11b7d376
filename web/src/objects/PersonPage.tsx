import { useNavigate } from '@tanstack/react-router'
import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { smppProfileRoutes } from '@tollgate/contract/users/smpp-profile.ts'
import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { Pencil, Phone } from 'lucide-react'
import { useState } from 'react'
import { useSession, useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { AccountOf } from '../books/AccountView.tsx'
import { formatDateTime } from '../format/dates.ts'
import { HoursField } from '../smpp-traffic/HoursField.tsx'
import type { SmppTrafficSearch } from '../smpp-traffic/search.ts'
import { formatRate, formatUsdt } from '../format/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { GiveNumberDialog } from '../numbers/inventory/GiveNumberDialog.tsx'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import type { Pair } from '../ui/Card.tsx'
import { Menu } from '../ui/Menu.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Segmented } from '../ui/Segmented.tsx'
import { TabSkeleton } from '../ui/States.tsx'
import { mayChange, shownStatus, userMenu } from '../users/columns.tsx'
import { UserActionDialog, type UserAction } from '../users/UserActionDialog.tsx'
import { BillsOf, PaymentsOf, PayoutsOf } from './money-lists.tsx'
import { NumbersOf } from './NumbersOf.tsx'
import { isGone, ObjectPage, ObjectState, useObjectId, useObjectUrl } from './ObjectPage.tsx'
import { PersonAccess } from './PersonAccess.tsx'
import { HoldsOf, useStaffTabs } from './shared-tabs.tsx'
import { TrafficTab } from './TrafficTab.tsx'
import { roleWord } from '../users/role-word.ts'
import { t } from '../language/t.ts'

const TermsTab = lazyComponent(() => import('../terms/TermsTab.tsx'), 'TermsTab')
const SmppTraffic = lazyComponent(() => import('../smpp-traffic/SmppTraffic.tsx'), 'SmppTraffic')

const home = { label: t('Users Management'), path: paths.users }

/** One person: client, supplier or staff, with all that belongs to the account. */
export function PersonPage() {
  const id = useObjectId()
  const isId = /^[1-9]\d{0,9}$/.test(id)
  const person = useApiQuery(usersRoutes.getUser, { params: { id: Number(id) } }, { isEnabled: isId })
  if (!isId || !person.data || isGone(person))
    return <ObjectState of={person} kind="person" home={home} isUnknown={!isId} />
  return <PersonView key={id} person={person.data} />
}

function PersonView({ person }: { person: User }) {
  const { may } = useSession()
  const viewer = useUser()
  const url = useObjectUrl()
  const staffTabs = useStaffTabs('user', String(person.id))
  const hasMoney = may('paymentManagement')
  const account = useApiQuery(
    booksRoutes.getAccount,
    { params: { id: person.id } },
    { isEnabled: hasMoney && person.role === 'user' },
  )
  return (
    <ObjectPage
      name={person.fullName === '' ? person.username : person.fullName}
      what={`${person.username} · ${roleWords(person)}`}
      home={home}
      badge={<StatusBadge kind="account" status={shownStatus(person)} />}
      actions={<PersonActions person={person} />}
      facts={personFacts(person, account.data?.balance)}
      tabs={[
        {
          value: 'overview',
          label: t('Numbers'),
          content: (
            <NumbersOf query={{ holderId: person.id }} empty={t('Holds no number')} without="clientName" />
          ),
        },
        { value: 'traffic', label: t('Traffic'), content: <PersonTraffic person={person} /> },
        person.smppAccess &&
          mayChange(viewer, person) && {
            value: 'smpp',
            label: t('SMPP Traffic'),
            content: <SupplierSide person={person} />,
          },
        hasMoney && {
          value: 'money',
          label: t('Money'),
          content: (
            <div className="space-y-4">
              <AccountOf userId={person.id} url={url} />
              <BillsOf userId={person.id} />
              <PayoutsOf userId={person.id} />
              <PaymentsOf query={{ userId: person.id }} />
            </div>
          ),
        },
        hasMoney && { value: 'terms', label: t('Terms'), content: <TermsTab userId={person.id} /> },
        may('holdReview') && { value: 'holds', label: t('Holds'), content: <HoldsOf userId={person.id} /> },
        { value: 'access', label: t('Access'), content: <PersonAccess person={person} /> },
        ...staffTabs,
      ]}
    />
  )
}

function roleWords({ role, smppAccess }: User): string {
  const word = role === 'user' ? t('client') : roleWord(role)
  return smppAccess ? t('{role}, with SMPP access', { role: word }) : word
}

function personFacts(person: User, balance: string | undefined): Pair[] {
  return [
    { label: t('Username'), value: person.username },
    { label: t('Email'), value: <Email address={person.email} /> },
    { label: t('Role'), value: roleWord(person.role) },
    {
      label: t('Rate'),
      value:
        person.customSmsRate === ''
          ? t('the global rate')
          : t('{rate} per SMS', { rate: formatRate(person.customSmsRate) }),
    },
    {
      label: t('USDT Address'),
      value:
        person.usdtAddress === '' ? (
          <span className="text-warn-ink">{t('none yet')}</span>
        ) : (
          <span className="font-mono">{groupByFour(person.usdtAddress)}</span>
        ),
    },
    ...(balance === undefined ? [] : [{ label: t('Owed to it'), value: formatUsdt(balance) }]),
    { label: t('Second Factor'), value: person.hasSecondFactor ? t('On') : t('None') },
    { label: t('Joined'), value: formatDateTime(person.createdAt) },
  ]
}

/** What came to the person's numbers, and what it sent us as a supplier. */
function PersonTraffic({ person }: { person: User }) {
  const url = useObjectUrl()
  const profile = useApiQuery(
    smppProfileRoutes.getSmppProfile,
    { params: { id: person.id } },
    { isEnabled: person.smppAccess },
  )
  const systemId = profile.data?.systemId ?? ''
  const isChosen = url.state.side !== ''
  const asClient = { client: person.username }
  const received = useApiQuery(
    recordsRoutes.summariseRecords,
    { query: { ...asClient, test: 'false' } },
    { isEnabled: person.smppAccess && !isChosen },
  )
  // Only the first time: the figures below make a call that failed again, and would be taken away for it without an end.
  const isFirst = [profile, received].some((query) => query.isLoading && query.errorUpdateCount === 0)
  if (isFirst) return <TabSkeleton />
  // A supplier without numbers receives nothing.
  const side = url.state.side || (received.data?.count === 0 ? 'supplier' : 'client')
  const isSent = systemId !== '' && side === 'supplier'
  return (
    <div className="space-y-4">
      {systemId !== '' && (
        <div className="max-w-sm">
          <Segmented
            label={t('Side')}
            value={side}
            onChange={(side) => url.set({ side })}
            options={[
              { value: 'client', label: t('Received as client') },
              { value: 'supplier', label: t('Sent as {systemId}', { systemId }) },
            ]}
          />
        </div>
      )}
      {isSent ? (
        <TrafficTab key="sent" filters={{ gateway: systemId }} without="gateway" />
      ) : (
        <TrafficTab key="received" filters={asClient} without="client" />
      )}
    </div>
  )
}

/** What the person sees of its own under SMPP Traffic. */
function SupplierSide({ person }: { person: User }) {
  const url = useObjectUrl()
  const { hours, messageId } = url.state
  const view = {
    state: { hours, id: messageId },
    onChange: ({ hours: span = hours, id = messageId }: Partial<SmppTrafficSearch>, isStep?: boolean) =>
      url.set({ hours: span, messageId: id }, isStep),
  }
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-3">
          {t('As {username} sees it on its page SMPP Traffic', { username: person.username })}
        </p>
        <HoursField {...view} />
      </div>
      <SmppTraffic {...view} userId={person.id} waiting={<TabSkeleton />} />
    </div>
  )
}

/** On a phone it is broken before its domain, not within a word. */
function Email({ address }: { address: string }) {
  const at = address.indexOf('@')
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  )
}

function PersonActions({ person }: { person: User }) {
  const viewer = useUser()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<UserAction>()
  const [isGiving, setGiving] = useState(false)
  if (!mayChange(viewer, person)) return null
  const open = (kind: Exclude<UserAction['kind'], 'add'>) => () => setDialog({ kind, user: person })
  return (
    <>
      {person.role === 'user' && person.status === 'active' && (
        <Button icon={Phone} onClick={() => setGiving(true)}>
          {t('Assign a number')}
        </Button>
      )}
      <Button icon={Pencil} onClick={open('edit')}>
        {t('Edit')}
      </Button>
      <Menu
        trigger={t('More actions for {username}', { username: person.username })}
        groups={userMenu(person, {
          viewer,
          onCredentials: open('credentials'),
          onProfile: open('profile'),
          onSessions: open('sessions'),
          onFactor: open('factor'),
          onPasswordReset: open('reset'),
          onWebhooks: ({ username }) =>
            void navigate({
              to: paths.interconnectionApi,
              search: { tab: 'endpoints', client: username } as never,
            }),
        })}
      />
      {isGiving && <GiveNumberDialog user={person} onClose={() => setGiving(false)} />}
      {dialog && <UserActionDialog dialog={dialog} rows={[person]} onClose={() => setDialog(undefined)} />}
    </>
  )
}
