// The passwords that are tried first everywhere, in lower case. Source: OWASP ASVS 5.0, 6.2.4.
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  000000 00000000 010203 102030 111111 1111111 11111111 112233 11223344 121212 123123 123123123 123321
  12341234 123456 1234567 12345678 123456789 1234567890 123456789012 1234567890123 1234567890qwerty
  12345678910 1234qwer 123654 123abc 123qwe 12qwaszx 131313 147258 147258369 159357 159753 1q2w3e 1q2w3e4r
  1q2w3e4r5t 1qaz2wsx 222222 232323 246810 333333 444444 456789 555555 654321 666666 696969 777777 7777777
  789456 789456123 888888 88888888 987654 987654321 999999 aa123456 aaaaaa abc123 abc1234 abcd1234 abcdef
  abcdefg access admin1 admin12 admin123 admin1234 admin12345678 adminadmin administrator administrator1
  administrator123 amanda andrea andrew angel1 anthony asdasd asdasd123 asdf1234 asdfgh asdfghjkl ashley
  azerty bailey baseball batman biteme blink182 buster changeme changeme123 changemechangeme charlie
  cheese chelsea chocolate computer cookie correcthorsebatterystaple daniel default donald dragon
  dragon123 family flower football football1 freedom friends fuckyou gateway ginger google guest123 hannah
  harley hello1 hello123 hockey hunter hunter2 iloveyou iloveyou1 iloveyouforever internet jennifer
  jessica jordan jordan23 joshua justin killer letmein letmein1 letmein123 letmeinletmein liverpool lovely
  loveme maggie master master123 matrix matthew michael michelle monkey monkey123 mustang mynoob nicole
  ninja1 nothing p@ssw0rd p@ssword pa55word pass123 pass1234 passw0rd passw0rd1 password password!
  password1 password1! password12 password123 password1234 password12345 password123456 passwordpassword
  pepper pokemon princess princess1 q1w2e3 q1w2e3r4 q1w2e3r4t5 qazwsx qazwsxedc qwe123 qweasd qweasdzxc
  qwer1234 qwerty qwerty1 qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyqwerty qwertyu qwertyui
  qwertyuiop qwertyuiop123 qwertyuiopasdf robert samantha samsung secret secret1 secret123 shadow soccer
  starwars summer summer123 sunshine sunshine1 superman support support1 support123 target123 temp123
  test123 test1234 test12345 tester testing testing123 thomas tigger tollgate tollgate1 tollgate123
  trustno1 unknown user123 user1234 welcome welcome1 welcome123 welcomewelcome whatever william winter
  winter123 yankees zaq12wsx zaq1zaq1 zxcvbn zxcvbnm zxcvbnm123
`
    .trim()
    .split(/\s+/),
)
