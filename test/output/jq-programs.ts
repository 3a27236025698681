// Programs for jq, of every kind that scripts are made of. Each is run over a list of billing statements as the service sends it.

export const PROGRAMS: readonly string[] = String.raw`
.
.data
.data[]
.data[0]
.data[-1]
.data[1:]
.data[:2]
.data[1:]|length
.data[10]
.data|length
.data[].id
.data[]."id"
."data"[0]."id"
.["data"][0]["id"]
.data[0]|keys
.data[0]|keys_unsorted
keys
[]|add // 0
[.data[].amount]|add
.data|map(.amount)|add
add(.data[].amount)
[.data[]|select(.status=="open")]|length
.data[]|select(.status=="open")|.id
.data[]|select(.amount>0 and .due_at!=0)|.id
.data[]|select(.status|test("^P";"i"))|.status
.data[]|select(.status|IN("open","draft"))|.id
.data|sort_by(.status)|map(.status)
.data|sort_by(.amount,.id)|map(.id)
.data|sort_by(.status,.amount)|.[].status
.data|sort_by(-.amount)|.[0].amount
.data|group_by(.status)|map({status:.[0].status,count:length})
.data|unique_by(.status)|length
.data|min_by(.amount).status
.data|max_by(.due_at).status
.data|map(.due_at)|min,max
[.data[].due_at]|unique
.data|first,last
first(.data[].id)
last(.data[].id)
nth(1;.data[].id)
[limit(2;.data[].id)]
[skip(1;.data[].id)]
until(type!="object";.data)|length
.data[]|[.id,.amount]|@csv
.data[]|[.id,.amount]|@tsv
.data[]|[.id,.livemode,.description]|@csv
.data[]|[.status,.livemode]|@tsv
.data[0].id|@sh
.data[0]|@sh "id=\(.id) amount=\(.amount)"
[.data[].status]|@sh
.data[0].billing_statement_url|@uri
.data[0].status|@base64
.data[0].status|@base64|@base64d
.data[0]|@json
.data[0].status|@html
"<a href='\(.data[0].id)'>"|@html
@text "a \(.data[0].amount) b"
@uri "q=\(.data[0].status) \("ñ")"
@urid "a%20b"
.data[0].status|ascii_upcase
.data[0].id|ascii_downcase
.data[0].id|split("_")
.data[0].id|split("_")|join("-")
.data[0].id|[splits("_")]
.data[0].id|[scan("[A-Z]")]
.data[0].id|[scan("[a-z]+_([A-Z])")]
.data[0].id|[scan("[q]";"i")]|length
.data[0].id|test("BSTM";"i")
.data[0].id|test("BSTM")
.data[0].id|match("([a-z]+)_(?<rest>.*)")
.data[0].id|capture("(?<prefix>[a-z]+)_(?<rest>.{4})")
.data[0].id|sub("bstm_";"")
.data[0].id|gsub("[aeiou]";"*")
.data[0].id|gsub("(?<x>[A-Z])";"<\(.x)>")
.data[0].id|[match("[A-Z]";"g").offset]
.data[0].id|startswith("bstm_"),endswith("x")
.data[0].id|ltrimstr("bstm_"),rtrimstr("Zk"),trimstr("b")
"  ñ x  "|trim,ltrim,rtrim
.data[0].id|length,utf8bytelength
.data[0].id|explode|implode
.data[0].id|.[0:5]
.data[0].id|index("_"),rindex("_"),indices("Q")
.data[0].status|. * 2
.data[0].status|ascii_downcase|contains("op")
.data[0]|has("id"),has("no")
.data[0]|to_entries|map(.key)
.data[0]|to_entries|map(select(.value==null))|from_entries
.data[0]|with_entries(select(.value!=null))
.data[0]|del(.id,.resource)
.data[0]|delpaths([["id"],["amount"]])|keys
.data[0]|{id,status}
.data[]|{id,php:(.amount/100)}
.data[0]|{(.id):.status}
.data[0]|{"a b":.amount}
.data[0]|{id:"x"}+{status:"y"}
.data[0]*{metadata:{a:1}}|.metadata
{a:{b:1}}*{a:{c:2}}
.data[0]|paths
[.data[0]|paths(type=="number")]
[.data[0]|leaf_paths]|length
[..]|length
[..|numbers]|add
[..|strings]|unique|length
[..|booleans]|length
[..|nulls]|length
[..|scalars]|length
[..|objects|keys|length]
[..|arrays|length]
[.[]?]|length
.data[].x?
.data[]|.id?
.x.y.z
try error("x") catch .
try (.data|.id) catch .
[.data[]|try (.id|tonumber) catch "no"]
.data[0].id|try tonumber catch "none"
(.data[0].id|tonumber)? // "none"
error(null)? // "kept"
.data[0].description // "none"
.data[0].livemode // "false counts as missing"
.data[0].amount as $a|.data[].amount|.-$a
. as {data:[{id:$i}]}|$i
. as {data:[$first,$second]}|$second.status
.data[] as {$id,$status}|"\($id) \($status)"
.data[0] as [$a] ?// {id:$a}|$a
reduce .data[] as $s (0;.+$s.amount)
reduce .data[] as {$status} ({};.[$status]+=1)
foreach .data[] as $s (0;.+$s.amount)
foreach .data[] as $s (0;.+1;[.,$s.id])
[foreach .data[].amount as $a (0;.+$a;select(.>0))]
label $out|.data[]|if .status=="draft" then break $out else .id end
[range(5)],[range(2;5)],[range(0;10;3)]
[.data|to_entries[]|"\(.key): \(.value.status)"]
if (.data|length)>2 then "many" elif (.data|length)>0 then "few" else "none" end
if .has_more then "more" end
.data|any(.status=="paid"),all(.amount>0)
any(.data[];.amount==0),all(.data[];.amount>=0)
.data|map(.status)|inside(["open","draft","paid","void"])
.data|map(.status)|index("draft")
.data|map(.status)|reverse
.data|map(.status)|contains(["paid"])
.data|map(.amount)|sort|.[length/2|floor]
[.data[].status]|combinations(2)|join("+")
[.data[:2][].status,.data[:2][].status]|[.[:2],.[2:]]|[combinations]|length
[[1,2],[3,4]]|transpose,flatten,(.[]|add)
[1,[2,[3,[4]]]]|flatten(1)
[3,1,2]|sort,max,min,add,length,reverse
[1,2,3]|.[1:]=["x"]
[1,2,3]|to_entries
[1,null,2]|map(values)
[1,1,2]|unique,group_by(.)
[1,2,3,4]-[2,3]
[1,2,3]|IN(2),IN([1,2,3])
[1,2]|walk(if type=="number" then .+1 end)
.data[0]|walk(if type=="null" then "-" end)
.data[0].amount|tostring,tojson
.data[0].amount/100,.data[0].amount%7
.data[0].amount|-.
-.data[0].amount
.data[0].amount/3
.data[0].amount|sqrt,floor,pow(.;2),log10
1e1000,-1e1000
1.0,1.10,100e2,0.1+0.2
3.7|floor,ceil,round,fabs
[1.5,"1.5",null,true,{},[]]|map(type)
"1.50"|tonumber
[nan]|tostring
nan<1,(infinite|isinfinite),([nan]|sort)
12345678901234567890
12345678901234567890|.
[12345678901234567890123,1.000000000000000000000001]
100000000000000000000+1
.data[0].created_at|todate
.data[0].created_at|strftime("%Y-%m-%d %H:%M:%S %A, %B %d")
.data[0].created_at|gmtime|mktime
.data[0].created_at|gmtime|todate
.data[0].due_at+8*3600|strftime("%d/%m/%Y")
"2026-12-15T10:00:00Z"|fromdate
"15 Dec 2026"|strptime("%d %b %Y")|mktime
"2026-12-15T10:00:00Z"|dateadd("seconds";3600)?
.data[0].created_at|date
.data|map(.id)|tojson|fromjson|length
tojson|fromjson==.
.data[0]|tostring|length
getpath(["data",0,"id"])
setpath(["data",0,"id"];"x")|.data[0].id
.data[0].id|="x"|.data[0].id
.data[].amount|=.+1|.data[].amount
.data[].amount+=1|[.data[].amount]
.data[0].description//="none"|.data[0].description
.data[0].amount*=2|.data[0].amount
del(.data[]|select(.status=="draft"))|.data|length
del(.data[0,1])|.data|length
to_entries|map(.key)
path(.data[0].id)
[paths|length]|max
pick(.data[0].id)
.data[0]|pick(.id,.status)
[.data[]|has("amount")]|all
.data|map(has("id"))
.data|map({id})|map(.id|length)
.data|map(select(.metadata==null)|.id)
[.data[]|.customer_id]|unique
.data|INDEX(.id)|keys
INDEX(.data[];.status)|map_values(.amount)
.data[0]|map_values(type)
[.data[]|{key:.status,value:.amount}]|from_entries
.data|map({(.status):1})|add
[splits("a")?]
ltrimstr("x")|type
input_line_number
$__loc__
[inputs]
$ARGS
try input catch "no more"
now|type
[.data[0]|.id,.status]|join(" ")
.data|map(.id|.[5:9])|join(", ")
[1,null,"a",true]|join("/")
"a,b, c"|split(", *";null)
"test"|ascii
[65,66]|implode
"x"|ascii_downcase|@base32|.,@base32d
"ñandú, 日本 😀"|length,utf8bytelength,@uri,explode
"tab\there \"quoted\" \\ back"
{"a":"tab\there \"quoted\" \\ back"}
"a\nb"
["a\nb"]
"\u0000\u001f\u007f"
["\u0000\u001f\u007f"]
""
"","",1
"  spaces  "
empty
null,true,false
halt
1,halt
"gone",("x"|halt_error(0))
def inc: .+1; .data|length|inc
def f(g): [.data[]|g]; f(.id)
def fac: if .<2 then 1 else .*(.-1|fac) end; 10|fac
def sum(f): reduce .[] as $x (0;.+($x|f)); .data|sum(.amount)
.data[0].id # and one behind
limit(3;repeat(1))
[limit(5;1|recurse(.*2))]
[recurse(if .<3 then .+1 else empty end)?]
.data[0]|[recurse]|length
[while(.<10;.+3)?]
0|[while(.<10;.+3)],[until(.>10;.+3)]
isvalid(.data)?
.data|isempty(.[]),isempty(empty)
[.data[]|.amount]|@json,@text
[splits(", ")?]|length
getpath(["a","b"])
tostream|select(length==1)
[tostream]|length
fromstream(tostream)|.data|length
[1|truncate_stream([[0],1],[[1,0],2])]
ascii(65)
@json "x\(.data[0].status)"
.data[0].status|ltrimstr("o")|tojson
.data[0]|.id as $id|.status as $s|[$id,$s]|length
env
$ENV
env.HOME
$ENV.PATH
"-h"
-1
have_literal_numbers
[builtins[]|select(startswith("trim"))]|sort
splits("x";"y";"z")?
have_decnum
.data|map(.amount)|@sh
getpath(["data"])|abs?
[.data[].amount|abs]
.data[0].amount|toarray
.data|map(.status)|ltrimstr("x")
[.data[].amount]|add/length
.data|del(.[0])|length
.data|limit(1;.[])|.id
$__prog_args?
error("x")?
.data|.[length-1].id
`
  .split('\n')
  .filter(Boolean);
