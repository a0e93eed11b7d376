import { ObjectLink } from '../api/ObjectLink.tsx'
import type { User } from '@tollgate/contract/users/users.ts'
import { roles, type AccountStatus, type Role } from '@tollgate/contract/vocabulary.ts'
import {
  ChevronDown,
  KeyRound,
  LockKeyhole,
  MonitorSmartphone,
  ShieldOff,
  SlidersHorizontal,
  Webhook,
} from 'lucide-react'
import { useState } from 'react'
import { formatDay } from '../format/dates.ts'
import { accountStatusItems } from '../ui/account-status.tsx'
import { Badge, StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { Menu, type MenuItem } from '../ui/Menu.tsx'
import { statusLook } from '../ui/status.ts'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import { roleWord } from './role-word.ts'
import { isStaffRole, StaffRoleQuestion } from './StaffRoleQuestion.tsx'
import { t } from '../language/t.ts'

export interface UserHandlers {
  /** The viewer. Nobody changes their own role or status here, and support cannot change admins. */
  readonly viewer: Pick<User, 'id' | 'role'>
  readonly onEdit: (user: User) => void
  readonly onCredentials: (user: User) => void
  readonly onProfile: (user: User) => void
  readonly onWebhooks: (user: User) => void
  readonly onSessions: (user: User) => void
  readonly onFactor: (user: User) => void
  readonly onPasswordReset: (user: User) => void
  readonly onStatus: (user: User, status: AccountStatus) => void
  readonly onRole: (user: User, role: Role) => void
  readonly onAccess: (user: User, isGranted: boolean) => void
}

/** Whether the viewer may change this account. Support cannot change admins. */
export function mayChange(viewer: UserHandlers['viewer'], user: User): boolean {
  return viewer.role === 'admin' || user.role !== 'admin'
}

/** An account that waits for approval is inactive until then. */
export function shownStatus({ status, awaitsApproval }: User): AccountStatus | 'waiting' {
  return awaitsApproval ? 'waiting' : status
}

/** Whether the viewer may set this account's status. Nobody sets their own. */
export function maySetStatus(viewer: UserHandlers['viewer'], user: User): boolean {
  return mayChange(viewer, user) && user.id !== viewer.id
}

/** Spec §2, Users Management: the table's columns. */
export function userColumns(actions: UserHandlers): readonly Column<User>[] {
  return [
    { ...subject, id: 'user', header: t('User'), sortBy: 'username', cell: (user) => <Person user={user} /> },
    {
      id: 'role',
      header: t('Role'),
      sortBy: 'role',
      cell: (user) =>
        actions.viewer.role === 'admin' && user.id !== actions.viewer.id ? (
          <RoleMenu user={user} actions={actions} />
        ) : (
          roleWord(user.role)
        ),
    },
    {
      id: 'status',
      header: t('Status'),
      sortBy: 'status',
      cell: (user) =>
        maySetStatus(actions.viewer, user) ? (
          <StatusMenu user={user} actions={actions} />
        ) : (
          <StatusBadge kind="account" status={shownStatus(user)} />
        ),
    },
    {
      id: 'secondFactor',
      header: t('Second Factor'),
      cell: (user) =>
        user.hasSecondFactor ? <FactorBadge /> : <span className="text-ink-3">{t('None')}</span>,
    },
    {
      id: 'smppAccess',
      header: t('SMPP Access'),
      sortBy: 'smppAccess',
      cell: (user) => (
        <Switch
          label={t('SMPP access of {username}', { username: user.username })}
          isLabelHidden
          checked={user.smppAccess}
          disabled={!mayChange(actions.viewer, user)}
          onChange={(event) => actions.onAccess(user, event.target.checked)}
        />
      ),
    },
    {
      id: 'maxConnections',
      header: t('Max Connections'),
      sortBy: 'maxConnections',
      align: 'right',
      // Spec §2: 1 if empty.
      cell: (user) => user.maxConnections || 1,
    },
    {
      id: 'joined',
      header: t('Joined'),
      sortBy: 'createdAt',
      card: 'fact',
      cell: (user) => formatDay(user.createdAt),
    },
    actionsColumn(
      (user) =>
        mayChange(actions.viewer, user) && (
          <span className="inline-flex items-center gap-1">
            <Button
              size="sm"
              aria-label={t('Edit {username}', { username: user.username })}
              onClick={() => actions.onEdit(user)}
            >
              {t('Edit')}
            </Button>
            <Menu
              trigger={t('More actions for {username}', { username: user.username })}
              groups={userMenu(user, actions)}
            />
          </span>
        ),
    ),
  ]
}

export type UserMenuHandlers = Pick<
  UserHandlers,
  'viewer' | 'onCredentials' | 'onProfile' | 'onWebhooks' | 'onSessions' | 'onFactor' | 'onPasswordReset'
>

/** Actions on an account beside Edit: its SMPP access, then its sign-in. */
export function userMenu(user: User, actions: UserMenuHandlers): readonly (readonly MenuItem[])[] {
  const isOther = user.id !== actions.viewer.id
  return [
    [
      ...(user.smppAccess
        ? [{ label: t('SMPP credentials'), icon: KeyRound, onSelect: () => actions.onCredentials(user) }]
        : []),
      { label: t('SMPP profile'), icon: SlidersHorizontal, onSelect: () => actions.onProfile(user) },
      { label: t('Webhooks'), icon: Webhook, onSelect: () => actions.onWebhooks(user) },
    ],
    [
      { label: t('Sessions'), icon: MonitorSmartphone, onSelect: () => actions.onSessions(user) },
      ...(isOther
        ? [{ label: t('Password reset'), icon: LockKeyhole, onSelect: () => actions.onPasswordReset(user) }]
        : []),
    ],
    isOther && actions.viewer.role === 'admin' && user.hasSecondFactor
      ? [
          {
            label: t('Remove second factor'),
            icon: ShieldOff,
            isDanger: true,
            onSelect: () => actions.onFactor(user),
          },
        ]
      : [],
  ]
}

/** A row as Copy Selected puts it on the clipboard. */
export function userLine(user: User): readonly string[] {
  return [
    user.username,
    user.fullName,
    user.email,
    user.role,
    user.status,
    user.smppAccess ? t('SMPP access') : '',
    String(user.maxConnections || 1),
    formatDay(user.createdAt),
  ]
}

function FactorBadge() {
  return (
    <Badge tone="ok" icon="check">
      {t('On')}
    </Badge>
  )
}

function Person({ user }: { user: User }) {
  return (
    <span className="block max-w-80 min-w-0">
      <span className="block truncate" title={user.fullName}>
        <ObjectLink kind="person" id={user.id}>
          {user.fullName}
        </ObjectLink>
      </span>
      <span className="block truncate text-xs font-normal text-ink-3">
        {user.username}
        {user.email !== '' && ` · ${user.email}`}
      </span>
    </span>
  )
}

function RoleMenu({ user, actions }: { user: User; actions: UserHandlers }) {
  const { username } = user
  const [asked, setAsked] = useState<Role>()
  const choose = (role: Role) => {
    if (role === user.role) return
    if (isStaffRole(role)) setAsked(role)
    else actions.onRole(user, role)
  }
  return (
    <>
      <Menu
        align="start"
        groups={[
          roles.map((role) => ({
            label: roleWord(role),
            isChosen: role === user.role,
            onSelect: () => choose(role),
          })),
        ]}
        trigger={
          <Button
            tone="ghost"
            size="sm"
            // Aligned with the column's heading.
            className="-ms-2 max-sm:-ms-3"
            aria-label={t('Role of {username}: {role}', { username, role: roleWord(user.role) })}
          >
            {roleWord(user.role)}
            <ChevronDown size={14} strokeWidth={1.6} aria-hidden="true" />
          </Button>
        }
      />
      {isStaffRole(asked) && (
        <StaffRoleQuestion
          user={user}
          username={username}
          role={asked}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined)
            actions.onRole(user, asked)
          }}
        />
      )}
    </>
  )
}

function StatusMenu({ user, actions }: { user: User; actions: UserHandlers }) {
  return (
    <Menu
      align="start"
      groups={[accountStatusItems((status) => actions.onStatus(user, status), user.status)]}
      trigger={
        <button
          type="button"
          aria-label={t('Status of {username}: {label}', {
            username: user.username,
            label: statusLook('account', shownStatus(user)).label,
          })}
          className="inline-flex items-center gap-1 rounded-sm pointer-coarse:min-h-11"
        >
          <StatusBadge kind="account" status={shownStatus(user)} />
          <ChevronDown size={14} strokeWidth={1.6} aria-hidden="true" className="text-ink-3" />
        </button>
      }
    />
  )
}
