import { useNavigate } from '@tanstack/react-router'
import { userChangesRoutes, type BulkChange } from '@tollgate/contract/numbers/bulk-changes.ts'
import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { accountStatuses, roles, type AccountStatus, type Role } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../api/call.ts'
import { toastNothingChanged, useMatchingSelection, useOfferUndo } from '../api/matching.tsx'
import { useUser } from '../api/session.tsx'
import { SetMatchingStatus } from '../api/SetMatchingStatus.tsx'
import { useApiQuery, useApiPages } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { paths } from '../paths.ts'
import { copyRows } from '../ui/copy-rows.ts'
import { ExportSelected } from '../api/ExportSelected.tsx'
import { ListFilters } from '../ui/ListFilters.tsx'
import { Button } from '../ui/Button.tsx'
import { SelectField, type Option } from '../ui/Field.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/States.tsx'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../url-state.ts'
import { maySetStatus, userColumns, userLine } from './columns.tsx'
import { updatedUsers, useAccountSwitches, userPaths, useSetUserStatuses } from './queries.ts'
import { FactorResets } from './FactorResets.tsx'
import { roleWord } from './role-word.ts'
import { usersSearch } from './search.ts'
import { UserActionDialog, type UserAction } from './UserActionDialog.tsx'
import { WaitingAccounts } from './WaitingAccounts.tsx'
import { CopySelected } from '../ui/CopySelected.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { failureOf } from '../api/FetchFailure.tsx'
import { SetStatusMenu, accountStatusLabel } from '../ui/account-status.tsx'
import { t } from '../language/t.ts'

const all: Option = { value: 'all', label: t('all') }
const roleOptions: readonly Option[] = [all, ...roles.map((value) => ({ value, label: roleWord(value) }))]
const statusWords: Record<AccountStatus, string> = {
  active: t('active'),
  inactive: t('inactive'),
  suspended: t('suspended'),
}
const statusOptions: readonly Option[] = [
  all,
  ...accountStatuses.map((value) => ({ value, label: statusWords[value] })),
]

const factorOptions: readonly Option[] = [
  all,
  { value: 'with', label: t('has one') },
  { value: 'without', label: t('has none') },
]

/** 'all' means no filter. */
function chosen<T extends string>(choice: T | 'all'): T | undefined {
  return choice === 'all' ? undefined : choice
}

function selectUsers(rows: readonly User[] | undefined, ids: ReadonlySet<string>): readonly User[] {
  return (rows ?? []).filter((user) => ids.has(String(user.id)))
}

export function UsersPage() {
  const viewer = useUser()
  const navigate = useNavigate()
  const url = useUrlState(usersSearch)
  const { search, role, status, secondFactor, sort, order } = url.state
  const filters = {
    search,
    role: chosen(role),
    status: chosen(status),
    secondFactor: chosen(secondFactor),
  }
  const list = useApiPages(usersRoutes.listUsers, { query: { ...filters, sort, order } })
  const summary = useApiQuery(usersRoutes.summariseUsers, { query: filters })
  const switches = useAccountSwitches()
  const statuses = useSetUserStatuses()
  const [dialog, setDialog] = useState<UserAction>()
  const marked = useMatchingSelection(filters, summary.data?.count)
  const { selected, clear } = marked
  const columns = useMemo(
    () =>
      userColumns({
        viewer,
        onEdit: (user) => setDialog({ kind: 'edit', user }),
        onCredentials: (user) => setDialog({ kind: 'credentials', user }),
        onProfile: (user) => setDialog({ kind: 'profile', user }),
        onWebhooks: ({ username }) =>
          void navigate({
            to: paths.interconnectionApi,
            search: { tab: 'endpoints', client: username } as never,
          }),
        onSessions: (user) => setDialog({ kind: 'sessions', user }),
        onFactor: (user) => setDialog({ kind: 'factor', user }),
        onPasswordReset: (user) => setDialog({ kind: 'reset', user }),
        onStatus: switches.setStatus,
        onRole: switches.setRole,
        onAccess: switches.setAccess,
      }),
    // These functions are new at each render, but always do the same.
    // eslint-disable-next-line react/exhaustive-deps
    [viewer, navigate],
  )
  const close = () => setDialog(undefined)
  const isFiltered = search !== '' || role !== 'all' || status !== 'all' || secondFactor !== 'all'
  const chosenUsers = selectUsers(list.rows, selected)
  const setStatus = (next: AccountStatus) => {
    const others = chosenUsers.filter((user) => user.id !== viewer.id)
    const allowed = others.filter((user) => maySetStatus(viewer, user))
    const changing = allowed.filter((user) => user.status !== next)
    const leftOut: BulkChange['leftOut'] = [
      { reason: 'ownAccount', count: chosenUsers.length - others.length },
      { reason: 'adminAccount', count: others.length - allowed.length },
      { reason: 'same', count: allowed.length - changing.length },
    ]
    if (changing.length > 0) statuses.set(changing, next, leftOut)
    else toastNothingChanged(leftOut)
    clear()
  }
  return (
    <>
      <PageHeader
        title={t('Users Management')}
        actions={
          <Button tone="primary" icon={Plus} onClick={() => setDialog({ kind: 'add' })}>
            {t('Add User')}
          </Button>
        }
      >
        {t('Manage user roles, SMPP access, and account status')}
      </PageHeader>
      <ListFilters
        page="users"
        url={url}
        chips={filterChips(url, {
          search: quoted,
          role: (value) => (value === 'all' ? all.label : roleWord(value as Role)),
          status: accountStatusLabel,
          secondFactor: (value) => (value === 'with' ? t('with second factor') : t('without second factor')),
        })}
        placeholder={t('Search by email or name...')}
      >
        <SelectField label={t('Role')} options={roleOptions} {...urlSelect(url, 'role')} />
        <SelectField label={t('Status')} options={statusOptions} {...urlSelect(url, 'status')} />
        <SelectField label={t('Second factor')} options={factorOptions} {...urlSelect(url, 'secondFactor')} />
      </ListFilters>
      <WaitingAccounts />
      {viewer.role === 'admin' && <FactorResets />}
      <DataTable
        label={t('Users')}
        storageName="users"
        columns={columns}
        rows={list.rows}
        rowId={(user) => String(user.id)}
        rowLabel={(user) => user.username}
        loadingLabel={t('Loading users...')}
        {...urlSort(url)}
        more={list}
        selection={{
          ...marked.selection,
          actions: marked.isAllChosen ? (
            <MatchingUsers filters={filters} count={marked.count} onDone={clear} />
          ) : (
            <>
              <SetStatusMenu onSet={setStatus} isDisabled={chosenUsers.length < selected.size} />
              <CopySelected
                ids={selected}
                rows={chosenUsers}
                onCopy={() => void copyRows(chosenUsers.map(userLine))}
              />
              <ExportSelected route={usersRoutes.exportChosenUsers} ids={selected} />
            </>
          ),
        }}
        {...failureOf(list, t('Failed to fetch users'))}
        empty={
          <EmptyState
            title={isFiltered ? t('No users match the filters') : t('No users found')}
            action={isFiltered && <Button onClick={url.reset}>{t('Reset filters')}</Button>}
          />
        }
        foot={
          <>
            <Total label={t('Total Users')} value={formatCount(summary.data?.count)} />
            <Total label={t('Active')} value={formatCount(summary.data?.active)} />
            <Total label={t('With SMPP Access')} value={formatCount(summary.data?.withSmppAccess)} />
            <ExportCsv href={urlOf(usersRoutes.exportUsers, { query: filters })} />
          </>
        }
      />
      {dialog && <UserActionDialog dialog={dialog} rows={list.rows} onClose={close} />}
    </>
  )
}

interface MatchingUsersProps {
  readonly filters: object
  readonly count: number
  readonly onDone: () => void
}

/** What can be done with all accounts that the filters match. */
function MatchingUsers(props: MatchingUsersProps) {
  const offerUndo = useOfferUndo('users')
  return (
    <SetMatchingStatus
      {...props}
      route={userChangesRoutes.setMatchingUserStatus}
      countOf={(count) => t('{count} users', { count })}
      doneText={updatedUsers}
      effect={t(
        'They are signed out and their binds are closed; undoing lets them in again, by a new sign-in.',
      )}
      refetch={userPaths}
      failure={t('Failed to update user')}
      offerUndo={offerUndo}
    />
  )
}
