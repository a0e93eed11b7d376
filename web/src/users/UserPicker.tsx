import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { useId, useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useApiPages } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { Skeleton } from '../ui/States.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { t } from '../language/t.ts'

type PickedUser = Pick<User, 'id' | 'username' | 'fullName'>

interface UserPickerProps {
  readonly label: string
  readonly value: PickedUser | undefined
  readonly onChange: (user: User) => void
  readonly error?: string | undefined
  /** Also offers suspended and inactive accounts. */
  readonly hasAll?: boolean
  /** Offers clients alone, for who gets numbers; who may bind, as suppliers do, is found by searching. */
  readonly isHolder?: boolean
}

/** Finds one account by name. Only active ones by default, since others cannot get a number. */
export function UserPicker({
  label,
  value,
  onChange,
  error,
  hasAll = false,
  isHolder = false,
}: UserPickerProps) {
  const [search, setSearch] = useState('')
  const [text, setText] = useDebounced(search, setSearch)
  const list = useApiPages(usersRoutes.listUsers, {
    query: {
      search,
      status: hasAll ? undefined : 'active',
      ...(isHolder && { role: 'user' }),
      ...(isHolder && search === '' && { smppAccess: 'without' }),
      sort: 'username',
      order: 'asc',
      limit: 50,
    },
  })
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="sr-only">{label}</legend>
      <TextField
        label={label}
        type="search"
        placeholder={t('Search by username, name or email...')}
        value={text}
        maxLength={100}
        error={error}
        {...(isHolder && { hint: t('Clients; who may bind, too, is found by searching.') })}
        onChange={(event) => setText(event.target.value)}
        // Enter would submit the form before a user was picked.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <div className="h-52 overflow-y-auto rounded-lg border border-line">
        {list.error ? (
          <div role="alert" className="flex flex-wrap items-center gap-2 p-3">
            <span className="text-bad-ink">{messageOf(list.error)}</span>
            <Button size="sm" onClick={list.refetch}>
              {t('Try again')}
            </Button>
          </div>
        ) : list.rows === undefined ? (
          <div className="space-y-4 p-3">
            <Skeleton className="w-1/2" />
            <Skeleton className="w-2/3" />
            <Skeleton className="w-1/3" />
          </div>
        ) : (
          <UserChoices users={list.rows} value={value} onChange={onChange} />
        )}
        {list.hasMore && (
          <p className="p-3 text-xs text-ink-3">
            {t('The first {count} are shown. Type to narrow the list.', { count: list.rows?.length })}
          </p>
        )}
      </div>
    </fieldset>
  )
}

function UserChoices({
  users,
  value,
  onChange,
}: Pick<UserPickerProps, 'value' | 'onChange'> & { users: readonly User[] }) {
  const name = useId()
  // The picked user stays in the list during another search.
  const shown: readonly PickedUser[] =
    value && !users.some((user) => user.id === value.id) ? [value, ...users] : users
  if (shown.length === 0) return <p className="p-3 text-ink-3">{t('No user matches.')}</p>
  return shown.map((user) => (
    <label
      key={user.id}
      className="flex min-h-10 items-center gap-2.5 border-b border-line px-3 py-1 last:border-0 hover:bg-surface-3 has-checked:bg-accent-soft pointer-coarse:min-h-11"
    >
      <input
        type="radio"
        name={name}
        className="size-4 shrink-0 accent-accent"
        checked={user.id === value?.id}
        onChange={() => {
          // A picked user cannot be picked again, so the user is always in the fetched list.
          const picked = users.find(({ id }) => id === user.id)
          if (picked) onChange(picked)
        }}
      />
      <span className="font-medium">{user.username}</span>
      <span className="min-w-0 truncate text-ink-3">{user.fullName}</span>
      <span className="ms-auto shrink-0 text-xs text-ink-3">{t('User {id}', { id: user.id })}</span>
    </label>
  ))
}
