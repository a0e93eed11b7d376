import type { editUserSchema, registerSchema } from '@tollgate/contract/users.ts'
import type { ReactNode } from 'react'
import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import type { z } from 'zod'
import { Switch } from '../ui/Checkbox.tsx'
import { NumberField, SelectField, TextField } from '../ui/Field.tsx'

/** The fields that Add User and Edit User share. */
export type PersonInput = Pick<
  z.input<typeof registerSchema> & z.input<typeof editUserSchema>,
  'username' | 'email' | 'firstName' | 'lastName' | 'role' | 'smppAccess' | 'maxConnections'
>

/** Spec §5: the roles these forms offer. */
export const offeredRoles = ['admin', 'support', 'user'] as const

interface UserFieldsProps {
  readonly register: UseFormRegister<PersonInput>
  readonly errors: FieldErrors<PersonInput>
  /** Spec §5: only admins see the Role field. */
  readonly hasRole: boolean
  /** Shown after the email address. */
  readonly children?: ReactNode
}

export function UserFields({ register, errors, hasRole, children }: UserFieldsProps) {
  return (
    <>
      <TextField label="First Name" error={errors.firstName?.message} {...register('firstName')} />
      <TextField label="Last Name" error={errors.lastName?.message} {...register('lastName')} />
      <TextField
        label="Username"
        autoComplete="off"
        autoCapitalize="none"
        error={errors.username?.message}
        {...register('username')}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        error={errors.email?.message}
        {...register('email')}
      />
      {children}
      {hasRole && (
        <SelectField
          label="Role"
          options={offeredRoles.map((role) => ({ value: role, label: role }))}
          error={errors.role?.message}
          {...register('role')}
        />
      )}
      <NumberField
        label="Max Connections"
        hint="1 to 100"
        min="1"
        max="100"
        step="1"
        error={errors.maxConnections?.message}
        {...register('maxConnections')}
      />
      <div className="self-end pb-1.5">
        <Switch label="SMPP Access" {...register('smppAccess')} />
      </div>
    </>
  )
}
