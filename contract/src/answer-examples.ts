// What a field of this name is in the examples of answers, unless its schema says more. Made-up people, numbers and hashes.
const moment = '2026-11-19T14:31:57.000Z'
const day = '2026-11-19'
const amount = '12.50'
const hash = 'f'.repeat(64)
const wallet = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const recordId = '01M85Y1SRY0000000000000400'
const number = '449098790142'
const client = 'maya'
const admin = 'admin'

/** By the whole name of the field. */
export const answerFields: Readonly<Record<string, string | number>> = {
  ...named(moment, 'at from readFrom since time timestamp lu until to'),
  ...named(day, 'day startsOn nextOn dateFrom dateTo periodFrom periodTo'),
  ...named(number, 'number phoneNumber assignedNumber accountNumber destinationAddress'),
  ...named('447700900318', 'sourceAddress sender requestedNumber'),
  ...named(
    client,
    'client clientName username assignedUsername assignedTo customerName holder displayName userName',
  ),
  ...named(admin, 'actor author enteredBy operator owner'),
  ...named(wallet, 'address usdtAddress fromAddress toAddress formerAddress pendingUsdtAddress'),
  ...named(hash, 'transactionHash paymentTxHash sha256 fingerprint hostKey'),
  ...named(recordId, 'messageId recordId externalId partIds messageIds session'),
  ...named('supplier1', 'supplier gateway gateways systemId peerSystemId'),
  ...named('203.0.113.7', 'ip lastAddress lastUsedAddress remoteAddress host'),
  ...named(
    amount,
    'amount balance bill billed booked carried closing opening cost credit difference held imbalance margin owed paid payouts price rate reducedAmount revenue settled total unbilled unbooked usd days7 days14 days30 older ledgerPaid explained movedAlone',
  ),
  ...named(
    'Agreed with the client by telephone',
    'reason explanation note notes verificationNote statusReason',
  ),
  ...named('R1', 'range ranges rangeNumber group'),
  ...named('North', 'name title subject what about'),
  ...named('United Kingdom', 'country countries preferredCountry supplierCountry'),
  ...named('Example Telecom Ltd', 'legalName latinName supplierName'),
  ...named('1 High Street', 'addressLines latinAddressLines'),
  ...named('https://crm.example.com/hooks', 'endpoint url'),
  ...named('https://east.example.com/records', 'apiUrl recordsUrl uri'),
  ...named('https://tronscan.org/#/transaction/' + hash, 'explorerUrl'),
  ...named('••••••••', 'password apiKey secret accessKeyId'),
  ...named('', 'error lastError systemType serviceType statusText errorText'),
  description: 'Voting lines',
  key: 'an example secret',
  noReport: '1',
  message: 'Everything is well.',
  port: 2775,
  dataCoding: 0,
  esmClass: 0,
  protocolId: 0,
  priority: 0,
  sourceTon: 1,
  sourceNpi: 1,
  destTon: 1,
  destNpi: 1,
  throughput: 100,
  pollInterval: 5_000,
  position: 1,
  countryCode: '+44',
  diallingCode: '+44',
  prefix: '44',
  text: 'Your table is ready.',
  email: 'maya@example.com',
  userEmail: 'maya@example.com',
  fullName: 'Maya Cohen',
  firstName: 'Maya',
  lastName: 'Cohen',
  businessPurpose: 'Voting by SMS',
  expectedVolume: '50-200',
  startNumber: '449098790000',
  endNumber: '449098799999',
  cursor: '740-0-1-0',
  timeZone: 'Europe/London',
  quietFrom: '22:00',
  quietTo: '06:00',
  mailTo: 'noc@example.com',
  code: '1600',
  reference: '12-7',
  references: '12-7',
  block: '44770090',
  bucket: 'example-records',
  region: 'eu-central-1',
  path: 'daily',
  encoding: 'GSM',
  interfaceVersion: '3.4',
  receipt: 'DELIVRD',
  octets: '69643a37',
  hex: '00000022',
  raw: '596f7572',
  allowedCidrs: '203.0.113.0/24',
  columns: 'messageId,createdAt,phoneNumber,amountUsd',
  node: 'node1',
  recoveryCodes: 'k7pm-2x9q',
  taxNumber: 'GB123456789',
  supplierTaxNumber: 'GB987654321',
  settingKey: 'global_sms_rate',
  settingValue: '0.05',
  fileName: 'numbers.csv',
  objectType: 'number',
  rpId: 'localhost',
  challenge: 'A'.repeat(43),
}

/** By a part of the name, the first that fits. */
export const answerPatterns: readonly (readonly [RegExp, string])[] = [
  [/(At|Since|Until|Sync|Poll|Attempt|Heartbeat|Used|Record|From|To)$/, moment],
  [/^period(Start|End)$/, day],
  [/(Amount|Usd|Cost|Rate|Price|PerSms|Paid|Revenue|minimum|Above)$/, amount],
  [/Id$|^id$/, '7'],
  [/By$/, admin],
  [/Reason$/, 'Agreed with the client by telephone'],
]

function named(value: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]))
}
