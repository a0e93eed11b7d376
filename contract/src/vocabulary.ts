// The values that both sides of the API use: roles, permissions, states and their transitions.

export const roles = ['admin', 'support', 'user', 'test'] as const
export type Role = (typeof roles)[number]

/**
 * Who may do what. The first six rows are Spec §6's permission map, to the letter; the others name what Spec §2 (menu)
 * and the API specification give each role. Every route names one of these.
 */
export const permissions = {
  userManagement: ['support', 'admin'],
  paymentManagement: ['support', 'admin'],
  numbersManagement: ['support', 'admin'],
  interconnectionApi: ['support', 'admin'],
  smppControl: ['admin'],
  adminSettings: ['admin'],
  signedIn: ['test', 'user', 'support', 'admin'],
  recordsRead: ['test', 'user', 'support', 'admin'],
  textRead: ['user', 'admin'],
  accountNumbers: ['test', 'user', 'support', 'admin'],
  ranges: ['user', 'support', 'admin'],
  numberRequests: ['user', 'support', 'admin'],
  payment: ['user', 'support', 'admin'],
  apiKeys: ['user', 'support', 'admin'],
  ownEndpoints: ['user', 'support', 'admin'],
  holdReview: ['support', 'admin'],
  alerts: ['support', 'admin'],
  notes: ['support', 'admin'],
  httpProviders: ['admin'],
  auditRead: ['admin'],
  moneyAdjust: ['admin'],
} as const satisfies Record<string, readonly Role[]>
export type Permission = keyof typeof permissions

/** Whether a role has a permission. Source: {@link permissions}. */
export function isPermitted(role: Role, permission: Permission): boolean {
  return (permissions[permission] as readonly Role[]).includes(role)
}

/** What a session must do before it may do anything else. */
export const restrictions = ['password_change', 'second_factor'] as const
export type Restriction = (typeof restrictions)[number]

/** What a program's API key may do; each route names the scope that opens it, or none. */
export const keyScopes = [
  'records:read',
  'texts:read',
  'events:read',
  'messages:send',
  'traffic:read',
  'webhooks:manage',
] as const
export type KeyScope = (typeof keyScopes)[number]

/** Who must have a second factor; staff are support and admin. */
export const secondFactorRules = ['off', 'staff'] as const
export type SecondFactorRule = (typeof secondFactorRules)[number]

/**
 * Why an act on all rows that match leaves one as it is: it has what is to be set; it was deleted or changed meanwhile;
 * somebody holds the number; its messages are refused; nobody holds it; the request is answered; it is the person's own
 * account; it is an admin's, which only admins change.
 */
export const leftOutReasons = [
  'same',
  'gone',
  'held',
  'suspended',
  'unheld',
  'answered',
  'ownAccount',
  'adminAccount',
] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export const accountStatuses = ['active', 'inactive', 'suspended'] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const recordStatuses = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'reported',
  'no_report',
] as const
export type RecordStatus = (typeof recordStatuses)[number]

/** The dashboard's names for record states. Spec §4; 'delivered' means completed and reported. */
export const activityStatuses: Record<'delivered' | 'pending' | 'failed', readonly RecordStatus[]> = {
  delivered: ['completed', 'reported'],
  pending: ['pending', 'in_progress', 'no_report'],
  failed: ['failed'],
}
export type ActivityStatus = keyof typeof activityStatuses

export const clientReports = ['pending', 'reported', 'failed'] as const
export type ClientReport = (typeof clientReports)[number]

/** Where a record came in. */
export const recordSources = ['smpp', 'connection', 'provider', 'api'] as const
export type RecordSource = (typeof recordSources)[number]

/** Of a long message: it waits for parts, has all of them, or has waited too long. */
export const longMessageStates = ['open', 'complete', 'incomplete'] as const

/** How a record's amount reaches the client: in the weekly bill, as the number's payout, or not at all. */
export const settlements = ['none', 'bill', 'payout'] as const

/**
 * Records by their hold. With a closed period: held or not when it closed. Otherwise as it is now; `held` waits for a
 * decision. `refused` is never paid.
 */
export const holdFilters = ['held', 'none', 'refused'] as const

export const numberTypes = ['premium', 'standard', 'toll-free'] as const
export type NumberType = (typeof numberTypes)[number]

/** Spec §9: what the inventory's country filter offers, whatever is in stock. */
export const inventoryCountries = ['US', 'GB', 'FR', 'DE', 'JP', 'AU'] as const

export const inventoryStatuses = ['available', 'assigned', 'suspended'] as const
export type InventoryStatus = (typeof inventoryStatuses)[number]

export const requestStatuses = ['pending', 'approved', 'assigned', 'rejected', 'withdrawn'] as const
export type RequestStatus = (typeof requestStatuses)[number]

/** Which action may be taken on a number request in which state. */
export const requestTransitions = {
  approve: ['pending'],
  assign: ['pending', 'approved'],
  reject: ['pending', 'approved'],
} as const satisfies Record<string, readonly RequestStatus[]>
export type RequestAction = keyof typeof requestTransitions

/** In which state the requester may change or withdraw a number request. */
export const ownRequestTransitions = {
  edit: ['pending'],
  withdraw: ['pending', 'approved'],
} as const satisfies Record<string, readonly RequestStatus[]>

/** An import of numbers; undoing takes it number by number. */
export const importStates = ['imported', 'undoing', 'undone'] as const
/** Why a number stays when its import is undone. */
export const importKeepReasons = ['assigned', 'traffic', 'changed', 'deleted'] as const

/** What clients may do with numbers in stock: not see them, request one, or take one at once. */
export const stockOffers = ['off', 'request', 'take'] as const
export type StockOffer = (typeof stockOffers)[number]

export const registrationModes = ['open', 'approval', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

/** A setting that is on or off. */
export const switchStates = ['on', 'off'] as const
export type SwitchState = (typeof switchStates)[number]

/** Whether endpoints are delivered to at all. */
export const endpointDeliveryStates = ['on', 'paused'] as const

/** What may be done with a change of a setting that waits. */
export const settingChangeActions = ['approve', 'cancel'] as const
export type SettingChangeAction = (typeof settingChangeActions)[number]

export const integrityModes = ['off', 'dry_run', 'enforce'] as const
export type IntegrityMode = (typeof integrityModes)[number]

/** What a rule of traffic integrity says of what it found. */
export const caseLevels = ['flag', 'hold'] as const
export type CaseLevel = (typeof caseLevels)[number]

/** dry: nothing is held; open: its messages are held; then what somebody decided. */
export const caseStates = ['dry', 'open', 'released', 'confirmed'] as const
export type CaseState = (typeof caseStates)[number]

/** `void`: nothing is paid for it any more, because it was voided or credited in full. */
export const billingStatuses = ['pending', 'sent_to_support', 'paid', 'failed', 'void'] as const
export type BillingStatus = (typeof billingStatuses)[number]
/** `no_bill`: closed without anything to pay. Lists contain these periods only on request. */
export const periodStatuses = [...billingStatuses, 'no_bill'] as const
export type PeriodStatus = (typeof periodStatuses)[number]

export const paymentStatuses = ['pending', 'confirmed', 'failed'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

export const paymentVerifications = [
  'unverified',
  'confirming',
  'verified',
  'underpaid',
  'overpaid',
  'rejected',
] as const
export type PaymentVerification = (typeof paymentVerifications)[number]

/**
 * What becomes of the difference when another amount arrived than was due: a rest stays due (owe), one side gives the
 * difference up (waive), or a surplus is kept as the client's credit.
 */
export const paymentDifferences = ['owe', 'waive', 'credit'] as const
export type PaymentDifference = (typeof paymentDifferences)[number]

export const adjustmentStatuses = ['pending', 'posted', 'rejected'] as const
export type AdjustmentStatus = (typeof adjustmentStatuses)[number]

/** What can be done about a bill before it is paid. */
export const amendmentKinds = ['withhold', 'resume', 'void', 'credit_note', 'readdress'] as const
export type AmendmentKind = (typeof amendmentKinds)[number]

export const amendmentStatuses = ['pending', 'done', 'rejected'] as const

/** Numbered documents about bills and payouts. */
export const invoiceKinds = ['invoice', 'credit_note'] as const
export type InvoiceKind = (typeof invoiceKinds)[number]

/** What an invoice is for: a bill, or all payouts of a client and a period. */
export const invoiceSubjects = ['bill', 'payouts'] as const

/** When invoices name the reverse charge: where the two legal entities are in different countries, on all invoices, on none. */
export const reverseChargeRules = ['cross_border', 'always', 'never'] as const
export type ReverseChargeRule = (typeof reverseChargeRules)[number]

export const payoutStatuses = ['pending', 'completed'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/**
 * What changes a client's account. `set_off`: what the client owed was taken off a payout; `carry`: that debt, or a void
 * bill, in the open period; `refusal`: held messages that are never paid.
 */
export const movementTypes = [
  'bill',
  'payout',
  'payment',
  'adjustment',
  'credit_note',
  'void',
  'waiver',
  'credit',
  'credit_used',
  'set_off',
  'carry',
  'refusal',
  'reserve',
  'reserve_release',
] as const
export type MovementType = (typeof movementTypes)[number]

/** The accounts of the ledger. */
export const ledgerAccounts = [
  'payable',
  'held',
  'reserved',
  'billed',
  'paid',
  'credit',
  'traffic_expense',
  'payout_clearing',
  'adjustment',
] as const
export type LedgerAccount = (typeof ledgerAccounts)[number]

/** What the margin is shown by. */
export const marginViews = ['range', 'client', 'supplier'] as const
export type MarginView = (typeof marginViews)[number]

export const debtKinds = ['bill', 'payout'] as const
export type DebtKind = (typeof debtKinds)[number]

/**
 * What is to be done next about a debt. pay: it may be paid now; approve: a payment waits for a second person; confirming: one
 * is looked up; in_run: a payment run pays it; decide: more than it was received; stopped: withheld, or an amendment waits;
 * parked: the ledger of the client does not balance; no_address: the client has given none; not_yet: its waiting time runs.
 */
export const payableSteps = [
  'pay',
  'approve',
  'confirming',
  'in_run',
  'decide',
  'stopped',
  'parked',
  'no_address',
  'not_yet',
] as const
export type PayableStep = (typeof payableSteps)[number]

/**
 * What a client is told of a debt. drafted, approved and exported: it is in a payment run that waits for approval, for its file,
 * or for its transfers; review: it is withheld, or somebody has to decide on it; the others as the steps of their names.
 */
export const dueStates = [
  'exported',
  'approved',
  'drafted',
  'confirming',
  'approve',
  'pay',
  'not_yet',
  'no_address',
  'review',
] as const
export type DueState = (typeof dueStates)[number]

export const paymentRunStatuses = ['draft', 'approved', 'exported', 'closed', 'cancelled'] as const
export type PaymentRunStatus = (typeof paymentRunStatuses)[number]

/** waiting: no transfer of it was seen; sent: one is looked up; partly_paid: its debts wait for more. */
export const runLineStates = ['waiting', 'sent', 'partly_paid', 'paid'] as const

/** open: nobody knows a debt for it; waiting: a second person is asked; booked: wholly, on debts or as credit. */
export const transferStates = ['open', 'waiting', 'booked', 'explained'] as const
export type TransferState = (typeof transferStates)[number]

export const connectionStatuses = ['connected', 'disconnected', 'error', 'connecting'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

export const interfaceVersions = ['3.3', '3.4', '5.0'] as const

export const bindTypes = ['transmitter', 'receiver', 'transceiver'] as const
export type BindType = (typeof bindTypes)[number]

/** Why a message that came over a bind was refused. */
export const messageRefusalReasons = [
  'unknown',
  'bad_destination',
  'bad_sender',
  'throttled',
  'window_exceeded',
  'not_permitted',
  'malformed',
  'unavailable',
  'rejected',
] as const
export type MessageRefusalReason = (typeof messageRefusalReasons)[number]

/** The same for staff, who may know that a number is ours and suspended: its sender is told that it is unknown. */
export const staffRefusalReasons = [...messageRefusalReasons, 'suspended'] as const
export type StaffRefusalReason = (typeof staffRefusalReasons)[number]

/** Why a bind was refused. */
export const bindRefusalReasons = [
  'wrong_credentials',
  'account_not_active',
  'no_access',
  'address_not_allowed',
  'tls_required',
  'too_many_binds',
  'unavailable',
  'crowded',
] as const
export type BindRefusalReason = (typeof bindRefusalReasons)[number]

/**
 * What became of the delivery receipt that a message asked for. none: it asked for none, or for one of a failure alone; later:
 * the message has no final state yet; forgotten: it was settled more than 30 days ago.
 */
export const receiptStates = ['none', 'later', 'waiting', 'taken', 'not_taken', 'forgotten'] as const
export type ReceiptState = (typeof receiptStates)[number]

export const endpointStatuses = ['active', 'inactive', 'maintenance'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

export const endpointMethods = ['POST', 'GET', 'PUT', 'DELETE'] as const
export type EndpointMethod = (typeof endpointMethods)[number]

export const providerAuthTypes = ['bearer', 'basic', 'api_key'] as const
export type ProviderAuthType = (typeof providerAuthTypes)[number]

export const workerStatuses = ['running', 'stopped', 'error'] as const
export type WorkerStatus = (typeof workerStatuses)[number]

export const holdStatuses = ['open', 'released', 'confirmed'] as const
export type HoldStatus = (typeof holdStatuses)[number]

/** The two decisions on a hold: its records count again, or they are never paid. */
export const holdActions = ['release', 'confirm'] as const
export type HoldAction = (typeof holdActions)[number]

/** Spec §9: the choices of a number request. */
export const expectedVolumes = ['1-50', '50-200', '200-500', '500-1000', '1000+'] as const

/** Spec §9: the countries a number request offers, with their dialling codes. */
export const requestCountries = [
  { name: 'United Kingdom', code: '+44' },
  { name: 'Germany', code: '+49' },
  { name: 'France', code: '+33' },
  { name: 'China', code: '+86' },
  { name: 'India', code: '+91' },
  { name: 'Australia', code: '+61' },
  { name: 'Netherlands', code: '+31' },
  { name: 'Brazil', code: '+55' },
] as const

/**
 * How the data_coding 0 of a peer is read: GSM 7-bit with a septet in each octet, the same packed, ISO-8859-1 with
 * Windows-1252, ASCII, or UTF-8. SMPP 3.4 §5.2.19 leaves it to the two sides.
 */
export const defaultAlphabets = ['gsm7', 'packed7', 'latin1', 'ascii', 'utf8'] as const
export type DefaultAlphabetName = (typeof defaultAlphabets)[number]

/** How a peer writes, or gets, a message_id: as any text, in decimal or in hexadecimal. */
export const messageIdForms = ['text', 'decimal', 'hex'] as const
/** How the id of an upstream is compared: `caseless` is text without regard to capitals. */
export const readIdForms = ['text', 'caseless', 'decimal', 'hex'] as const

/** The SMPP version that an account is treated as; `peer` is the one that it names in its bind. */
export const treatedVersions = ['peer', '3.3', '3.4'] as const
